// SPDX-License-Identifier: Apache-2.0
// The grammars of the extension, read by vscode-textmate and vscode-oniguruma as VS Code does: scopes of lines of packets, by
// themselves and within the strings of real scenarios. Prints TAP. Arguments: the folder of the npm packages, the folder of
// the extension, the folder of the suite, a file of packets.
"use strict";
const fs = require("fs");
const path = require("path");
const [modules, extension, suite, packets] = process.argv.slice(2).map((p) => path.resolve(p));
const { Registry, INITIAL, parseRawGrammar } = require(path.join(modules, "vscode-textmate"));
const oniguruma = require(path.join(modules, "vscode-oniguruma"));
const manifest = JSON.parse(fs.readFileSync(path.join(extension, "package.json"), "utf8"));

const sources = { "source.json": path.join(modules, "tm-grammars/grammars/json.json") };
const injections = {};
for (const grammar of manifest.contributes.grammars) {
  sources[grammar.scopeName] = path.join(extension, grammar.path);
  for (const host of grammar.injectTo || []) (injections[host] = injections[host] || []).push(grammar.scopeName);
}
const wasm = fs.readFileSync(path.join(modules, "vscode-oniguruma/release/onig.wasm"));
const registry = new Registry({
  onigLib: oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength)).then(() => ({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  })),
  loadGrammar: async (scope) => (sources[scope] ? parseRawGrammar(fs.readFileSync(sources[scope], "utf8"), sources[scope]) : null),
  getInjections: (scope) => injections[scope],
});

let count = 0, bad = 0;
const is = (what, ok, why) => {
  count++;
  bad += !ok;
  console.log(`${ok ? "ok" : "not ok"} ${count} - ${what}${ok ? "" : `\n# ${why}`}`);
};
// The tokens of a text: [word, its innermost scope of ours without the ending, "" if it has none].
const tokens = (grammar, text) => {
  let stack = INITIAL;
  return text.split("\n").flatMap((line) => {
    const { tokens: found, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return found.map(({ startIndex, endIndex, scopes }) => {
      const last = scopes[scopes.length - 1];
      const ours = last.endsWith(".talon-packets") && last !== "source.talon-packets" && !last.startsWith("meta.");
      return [line.slice(startIndex, endIndex), ours ? last.replace(/\.talon-packets$/, "") : ""];
    });
  });
};

// A line, and the scopes that words of it must have.
const rows = [
  ["> push_data psn=0r rsn=1 len=64 ar", { ">": "keyword.control.direction", push_data: "storage.type.packet", psn: "variable.parameter.field", "=": "keyword.operator.assignment", "0r": "constant.numeric.relative", 64: "constant.numeric", ar: "storage.modifier.flag" }],
  ["<=$coalescing+20% < eack dbase=1r own=2 drx=0b10 ...", { "<=": "keyword.operator.time", $coalescing: "variable.other", "<": "keyword.control.direction", eack: "storage.type.packet", "0b10": "constant.numeric", "...": "keyword.operator.rest" }],
  ["@1.5ms < nack code=rnr nack_psn=@p rnr=10us w=data    # FTP-7.8-22, FTP-11-38", { "@": "keyword.operator.time", "1.5ms": "constant.numeric.duration", nack: "storage.type.packet", rnr: "variable.parameter.field", "@p": "variable.other.capture", "10us": "constant.numeric.duration", data: "constant.other.name", "FTP-7.8-22": "constant.other.requirement", "FTP-11-38": "constant.other.requirement" }],
  ["5us..10us < packet packet_type={back,eack} ecn_rx_count=$due..$most !own=1", { "5us..10us": "constant.numeric.duration", packet: "storage.type.packet", "{": "punctuation.section.set", back: "constant.other.name", "..": "keyword.operator.range", $most: "variable.other", "!": "keyword.operator.not" }],
  ["waits: > push_data psn=($i + 2)r rsn=${n} len=$len", { waits: "entity.name.label", $i: "variable.other", "+": "keyword.operator.arithmetic", 2: "constant.numeric", r: "constant.numeric.relative", "${n}": "variable.other", $len: "variable.other" }],
  ["> push_data len=64 / rdma send_only rbth.dqp=17 off=0 se data=64@3+8", { "/": "punctuation.separator.upper", rdma: "storage.type.upper", send_only: "entity.name.function.operation", "rbth.dqp": "variable.parameter.field", se: "storage.modifier.flag" }],
  ["> hex:00ff01", { "hex:": "storage.type.packet", "00ff01": "constant.numeric.hex" }],
  ["< back own:0b10=2 rbase=any", { own: "variable.parameter.field", "0b10": "constant.numeric.mask", any: "constant.language.any" }],
  ["# only a comment: > push_data psn=1", { "#": "comment.line.number-sign", " only a comment: > push_data psn=1": "comment.line.number-sign" }],
];
const wrong = (found, due) => Object.entries(due).filter(([word, scope]) => !found.some(([w, s]) => w === word && s === scope)).map(([word, scope]) => `${word} should be ${scope}`);

(async () => {
  const plain = await registry.loadGrammar("source.talon-packets");
  const json = await registry.loadGrammar("source.json");
  for (const [line, due] of rows) {
    const inside = tokens(json, `{"steps": [${JSON.stringify(line)}, "x"]}`);
    const missed = wrong(tokens(plain, line), due);
    is(`a line by itself: ${line}`, missed.length === 0, `${missed.join("; ")} in ${JSON.stringify(tokens(plain, line))}`);
    if (line.startsWith("#")) continue;
    const missedInside = wrong(inside, due);
    is("  and as a step", missedInside.length === 0, `${missedInside.join("; ")} in ${JSON.stringify(inside)}`);
    is("  the string ends where it ends", inside.some(([word, scope]) => word === "x" && scope === ""), JSON.stringify(inside));
  }
  for (const text of ['{"title": "psn=1 is > push_data"}', '{"push_data psn=0r": 1}', '{"note": "the nack comes"}']) {
    const found = tokens(json, text);
    is(`no packet: ${text}`, found.every(([, scope]) => scope === ""), JSON.stringify(found));
  }

  // Each packet line of the suite, and each line of the file, has its type coloured.
  const types = /^(?:[\w-]+: +)?(?:[^">]*? )?[<>] +(pull_request|pull_data|push_data|resync|back|eack|nack|packet)(?= |$)/;
  const missed = [];
  let lines = 0;
  const visit = (dir) => fs.readdirSync(dir, { withFileTypes: true }).forEach((entry) => {
    const below = path.join(dir, entry.name);
    if (entry.isDirectory()) return visit(below);
    const text = fs.readFileSync(below, "utf8");
    let stack = INITIAL;
    text.split("\n").forEach((line, number) => {
      const { tokens: found, ruleStack } = json.tokenizeLine(line, stack);
      stack = ruleStack;
      for (const match of line.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
        const type = types.exec(match[1]);
        if (type === null || line[match.index + match[0].length] === ":") continue;
        const at = match.index + 1 + type[0].length - type[1].length;
        const token = found.find(({ startIndex, endIndex }) => startIndex <= at && at < endIndex);
        lines++;
        if (!token.scopes.includes("storage.type.packet.talon-packets")) missed.push(`${below}:${number + 1}: ${match[1]}`);
      }
    });
  });
  visit(suite);
  is(`${lines} packet lines of the suite have their types`, lines > 2000 && missed.length === 0, missed.slice(0, 5).join("\n# "));
  const bare = fs.readFileSync(packets, "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#")).filter((line) => !tokens(plain, line).some(([, scope]) => scope === "storage.type.packet"));
  is("so have lines of a file", bare.length === 0, bare.join("\n# "));
  console.log(`1..${count}`);
  process.exitCode = bad > 0 ? 1 : 0;
})();
