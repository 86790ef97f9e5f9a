"""One adapter at the other end of a socket: commands, their replies, and the events between them."""
import collections
import json
import socket
import time


class Refused(Exception):
    """A command got an error: `error` is its kind, the text its reason."""

    def __init__(self, error, why):
        super().__init__("%s: %s" % (error, why))
        self.error, self.why = error, why


class Adapter:
    def __init__(self, connection, timeout=30.0):
        """`connection`: a socket, or the path of a Unix socket, which may appear later."""
        self.timeout = timeout
        self.socket = self.connect(connection) if isinstance(connection, str) else connection
        self.rest = b""
        self.id, self.epoch, self.seq = 0, 1, 0
        self.events = collections.deque()
        self.seen = None  # or a list: every line that comes

    @staticmethod
    def connect(path):
        until = time.monotonic() + 20
        while True:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                connection.connect(path)
                return connection
            except OSError:
                connection.close()
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def line(self, timeout):
        """The next line as an object, or None if none comes in time."""
        until = time.monotonic() + timeout
        while b"\n" not in self.rest:
            left = until - time.monotonic()
            if left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                read = self.socket.recv(65536)
            except socket.timeout:
                return None
            if not read:
                raise EOFError("the adapter is gone")
            self.rest += read
        text, self.rest = self.rest.split(b"\n", 1)
        message = json.loads(text)
        if self.seen is not None:
            self.seen.append(message)
        return message

    def take(self, message):
        """Keeps an event. Its number must follow the last one's."""
        assert message["seq"] == self.seq + 1, "seq %d after %d" % (message["seq"], self.seq)
        self.seq = message["seq"]
        if message["epoch"] == self.epoch:
            self.events.append(message)

    def do(self, command, timeout=None, **members):
        """Sends a command; returns the reply's members, or raises Refused."""
        self.id += 1
        line = {"id": self.id, "epoch": self.epoch, "do": command}
        line.update({k.rstrip("_"): v for k, v in members.items()})
        self.socket.sendall(json.dumps(line).encode() + b"\n")
        while True:
            message = self.line(timeout or self.timeout)
            if message is None:
                raise TimeoutError("no reply to %s" % command)
            if "event" in message:
                self.take(message)
                continue
            assert message["id"] == self.id, "reply %r to command %d" % (message, self.id)
            if "new_epoch" in message:
                self.epoch = message["new_epoch"]
                self.events.clear()
            if "error" in message:
                raise Refused(message["error"], message.get("why", ""))
            return message

    def next_wc(self, timeout=15.0):
        """The next completion, taken out of the events; None if none comes in time."""
        until = time.monotonic() + timeout
        while True:
            for event in self.events:
                if event["event"] == "wc":
                    self.events.remove(event)
                    return event
            message = self.line(max(until - time.monotonic(), 0))
            if message is None:
                return None
            self.take(message)

    def settled(self, kind):
        """After a barrier: all events of this kind, taken out."""
        self.do("barrier")
        found = [e for e in self.events if e["event"] == kind]
        self.events = collections.deque(e for e in self.events if e["event"] != kind)
        return found
