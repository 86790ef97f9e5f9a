
-- ---- from here on by hand: how the tables above become a dissector ----
-- Works with Lua 5.2 (Wireshark 3 and 4.0-4.2) and 5.4 (Wireshark 4.4).

local falcon = Proto("falcon", "Falcon Transport")
local rdma = Proto("falcon_rdma", "RDMA over Falcon")
local nvme = Proto("falcon_nvme", "NVMe over Falcon")
local psp = Proto("falcon_psp", "PSP (as Falcon uses it)")

local PULL_REQUEST, PULL_DATA, PUSH_DATA, RESYNC, NACK, BACK, EACK = 0, 3, 5, 6, 8, 9, 10
local RESERVED_TYPE = "reserved type"

falcon.prefs.udp_port = Pref.uint("UDP port", 7777, "of plain Falcon over UDP")
falcon.prefs.psp_port = Pref.uint("PSP port", 1000, "UDP port of PSP")
falcon.prefs.decrypted = Pref.bool("PSP payloads are already decrypted", false,
    "read what follows a PSP header as it is, whatever its version says")
falcon.prefs.relative = Pref.bool("Relative numbers", true,
    "The Info column shows PSNs and RSNs from 0r, the lowest one of their window that the capture has")
falcon.prefs.icv = Pref.bool("PSP packets end with an ICV", true, "16 bytes after what was sealed")

-- ---- fields: one a name of a protocol, as wide as the widest that has it ----

local protos = {falcon = falcon, rdma = rdma, nvme = nvme, psp = psp}
local abbrevs = {falcon = "falcon.", rdma = "falcon_rdma.", nvme = "falcon_nvme.", psp = "falcon_psp."}
local fields = {falcon = {}, rdma = {}, nvme = {}, psp = {}} -- name: ProtoField
local widths = {falcon = {}, rdma = {}, nvme = {}, psp = {}} -- name: {bits, row}

-- Layouts of each protocol; RDMA's fields have the header's name before theirs.
local layouts_of = {falcon = {}, rdma = {}, nvme = {nbth = true}, psp = {psp = true, psp_vc = true}}
for _, name in pairs(T.falcon) do layouts_of.falcon[name] = true end
for _, kind in pairs(T.rdma) do
    for _, name in ipairs(kind.headers) do layouts_of.rdma[name] = true end
end
for _, kind in pairs(T.nvme) do layouts_of.nvme[kind.layout] = true end

local function field_name(proto, layout, field)
    return proto == "rdma" and layout .. "." .. field or field
end

for proto, layouts in pairs(layouts_of) do
    for layout in pairs(layouts) do
        for _, row in ipairs(T.layouts[layout].fields) do
            local name = field_name(proto, layout, row.name)
            local have = widths[proto][name]
            if have == nil or have.bits < row.bits then widths[proto][name] = {bits = row.bits, row = row} end
        end
    end
end

local function make_field(abbrev, bits, row)
    local label = row.name
    if bits > 64 then return ProtoField.bytes(abbrev, label, base.NONE, row.doc) end
    if bits > 32 then return ProtoField.uint64(abbrev, label, base.HEX_DEC, row.names, nil, row.doc) end
    local make = bits > 16 and ProtoField.uint32 or bits > 8 and ProtoField.uint16 or ProtoField.uint8
    return make(abbrev, label, base.DEC_HEX, row.names, nil, row.doc)
end

for proto, list in pairs(widths) do
    local all = {}
    for name, w in pairs(list) do
        fields[proto][name] = make_field(abbrevs[proto] .. name, w.bits, w.row)
        all[#all + 1] = fields[proto][name]
    end
    protos[proto].fields = all
end

-- What no header holds.
local more = {
    retransmission = ProtoField.framenum("falcon.retransmission_of", "retransmission of", base.NONE, frametype.RETRANS_PREV),
    replaces = ProtoField.framenum("falcon.replaces", "resync of the packet of", base.NONE),
    refused = ProtoField.framenum("falcon.refused", "refuses the packet of", base.NONE),
    flow = ProtoField.uint32("falcon.flow", "flow", base.DEC, nil, nil, "one direction of a connection, numbered as they appear"),
    window = ProtoField.string("falcon.psn_window", "window of psn"),
    rnr_ns = ProtoField.uint64("falcon.rnr_timeout_ns", "rnr_timeout, ns"),
    payload = ProtoField.bytes("falcon.payload", "payload"),
    issue = ProtoField.string("falcon.issue", "issue"),
    requirement = ProtoField.string("falcon.issue.requirement", "requirement"),
    clear = ProtoField.bytes("falcon_psp.clear", "in the clear"),
    sealed = ProtoField.bytes("falcon_psp.sealed", "sealed"),
    icv = ProtoField.bytes("falcon_psp.icv", "ICV"),
    message = ProtoField.uint32("falcon_rdma.message", "message", base.DEC, nil, nil,
        "segments of a SEND or WRITE, or a READ or atomic operation with its response, numbered as they appear"),
    message_first = ProtoField.framenum("falcon_rdma.message.first", "first packet of the message", base.NONE),
    command = ProtoField.uint32("falcon_nvme.command", "command", base.DEC, nil, nil,
        "packets of one command of a host, numbered as they appear"),
    command_first = ProtoField.framenum("falcon_nvme.command.first", "first packet of the command", base.NONE),
}
local of_falcon, of_psp = falcon.fields, psp.fields
local function add_fields(proto, have, list)
    for _, f in ipairs(list) do have[#have + 1] = f end
    proto.fields = have
end
add_fields(falcon, {}, {more.retransmission, more.replaces, more.refused, more.flow, more.window, more.rnr_ns, more.payload,
    more.issue, more.requirement})
add_fields(rdma, {}, {more.message, more.message_first})
add_fields(nvme, {}, {more.command, more.command_first})
add_fields(psp, {}, {more.clear, more.sealed, more.icv})

-- ---- the lint, as expert information ----

local severities = {note = expert.severity.NOTE, warning = expert.severity.WARN, error = expert.severity.ERROR}
local lint, experts, seen_codes = {}, {}, {}
for _, row in ipairs(T.lint) do
    if lint[row.code] == nil then lint[row.code] = row end
    for name, severity in pairs(severities) do
        local key = row.code .. "/" .. name
        if seen_codes[key] == nil then
            seen_codes[key] = ProtoExpert.new("falcon.expert." .. row.code .. "." .. name, row.message,
                expert.group.PROTOCOL, severity)
            experts[#experts + 1] = seen_codes[key]
        end
    end
end
local again = ProtoExpert.new("falcon.expert.retransmission", "a PSN that went this way before", expert.group.SEQUENCE,
    expert.severity.NOTE)
experts[#experts + 1] = again
falcon.experts = experts

-- Adds an issue below `item`. `row`: of a field or layout, whose requirement and severity it then has.
local function issue(item, code, row, what)
    local known = lint[code]
    local severity, requirement = known.severity, known.requirement
    if row ~= nil then
        requirement = row.requirement or requirement
        severity = row.severity or severity
    end
    local text = code .. ": " .. known.message .. (what and " (" .. what .. ")" or "")
    item:add_proto_expert_info(seen_codes[code .. "/" .. severity], text .. (requirement and "; " .. requirement or ""))
    local sub = item:add(more.issue, code)
    sub:set_generated()
    if requirement then sub:add(more.requirement, requirement):set_generated() end
end

-- ---- headers ----

-- A field's value: a number up to 32 bits, a UInt64 up to 64, nil beyond.
local function value_of(tvb, row)
    if row.bits > 64 then return nil end
    if row.low_first then
        local half = row.bits / 2
        return UInt64.new(tvb:range():bitfield(row.at, half), tvb:range():bitfield(row.at + half, half))
    end
    local first = math.floor(row.at / 8)
    local bytes = math.ceil((row.at + row.bits) / 8) - first
    return tvb:range(first, bytes):bitfield(row.at - first * 8, row.bits)
end

local function is_zero(tvb, first, bytes)
    for i = first, first + bytes - 1 do
        if tvb:range(i, 1):uint() ~= 0 then return false end
    end
    return true
end

local function legal(tvb, row, value)
    if row.kind == "reserved" then
        if row.bits > 64 then return is_zero(tvb, row.at / 8, row.bits / 8) end
        return tostring(value) == "0"
    end
    if row.kind == "const" then return value == row.due end
    if row.kind == "code" then return row.names[value] ~= nil end
    return true
end

local codes = {falcon = {reserved = "reserved-not-zero", const = "wrong-constant", code = "reserved-code"}}

-- Adds a header's fields to the tree; returns their values by name.
local function add_header(proto, layout, tvb, tree)
    local values = {}
    for _, row in ipairs(layout.fields) do
        local first = math.floor(row.at / 8)
        local bytes = math.ceil((row.at + row.bits) / 8) - first
        local range, value = tvb:range(first, bytes), value_of(tvb, row)
        local f = fields[proto][field_name(proto, layout.name, row.name)]
        local item
        if value == nil then
            item = tree:add(f, range)
        else
            -- A field that is declared 64 bits wide, for another header, wants a UInt64.
            local w = widths[proto][field_name(proto, layout.name, row.name)].bits
            item = tree:add(f, range, w > 32 and type(value) == "number" and UInt64.new(value, 0) or value)
        end
        values[row.name] = value
        if not legal(tvb, row, value) then
            issue(item, codes.falcon[row.kind], row)
        end
    end
    return values
end

-- ---- what a Falcon packet carries ----

local function reserved_zero(layout, tvb)
    for _, row in ipairs(layout.fields) do
        if row.kind == "reserved" and not legal(tvb, row, value_of(tvb, row)) then return false end
    end
    return true
end

-- What a tester sends where the bytes do not matter.
local function is_filler(tvb, front)
    local magic, n = "TALN", math.min(tvb:len(), 4)
    return tvb:raw(0, n) == magic:sub(1, n) or is_zero(tvb, 0, math.min(tvb:len(), front))
end

local function likely(a, b, c)
    return (a and 1 or 0) + (b and 1 or 0) + (c and 1 or 0) >= 2
end

local function lint_rdma(tree, p, kind, v, data, at_root, cut)
    local op, pad = at_root % 32, v.rbth.pad
    if p.packet_type ~= kind.packet then issue(tree, "wrong-falcon-packet", kind) end
    if kind.service == 5 then issue(tree, "xrc-opcode") end
    if kind.data and not cut and (data % 4 ~= 0 or pad > data) then issue(tree, "bad-pad") end
    if not kind.data and data > 0 then issue(tree, "unexpected-payload", {requirement = kind.requirement, severity = "error"}) end
    if kind.service == 3 then return end
    if op >= 6 and op <= 11 and not cut and pad <= data and v.reth.length ~= data - pad then
        if v.reth.length > data - pad and op < 10 then
            issue(tree, "whole-length")
        else
            issue(tree, "length-mismatch")
        end
    elseif op == 12 and p.packet_type == PULL_REQUEST then
        local n = v.reth.length
        if p.request_length ~= 24 + n and p.request_length ~= 24 + math.ceil(n / 4) * 4 then issue(tree, "length-mismatch") end
    elseif (op == 19 or op == 20) and p.packet_type == PULL_REQUEST and p.request_length ~= 32 then
        -- one code, two rows: of the ULP here
        issue(tree, "request-length-mismatch", {requirement = "FTP-7.3-04"})
    end
end

local function addresses(pinfo, cid)
    return tostring(pinfo.net_src) .. ">" .. tostring(pinfo.net_dst) .. "/" .. cid
end

-- ---- messages: packets that carry one SEND or WRITE, READ or atomic operation (RDMA 6.7) ----

local messages, num_messages = {}, 0 -- key: {number, first, and of a WRITE the address where it goes on}

local commands, num_commands = {}, 0 -- of NVMe, below

local function forget_messages()
    messages, num_messages = {}, 0
    commands, num_commands = {}, 0
end

local function new_message(key, frame)
    num_messages = num_messages + 1
    messages[key] = {number = num_messages, first = frame}
    return messages[key]
end

-- "first", "middle", "last" or "only": the end of the name, before what else the packet has.
local function place_of(kind)
    return kind.name:match("_(first)") or kind.name:match("_(middle)") or kind.name:match("_(last)") or "only"
end

-- The SEND of a segment has the same RMSN; a WRITE goes on where the segment before ended.
local function message_of_push(flow, kind, v, data, frame)
    local place = place_of(kind)
    if place == "only" then return nil end
    local to = flow .. "/" .. v.rbth.dest_qp .. "/"
    if v.seth ~= nil and v.oeth ~= nil then
        local key = to .. "send/" .. v.seth.rmsn
        if place == "first" or messages[key] == nil then return new_message(key, frame) end
        return messages[key]
    end
    if v.reth == nil then return nil end
    local key = to .. "write/" .. v.reth.r_key .. "/"
    local at = v.reth.virtual_address
    local message = place ~= "first" and messages[key .. tostring(at)] or nil
    if message == nil then message = new_message(key .. tostring(at), frame) end
    messages[key .. tostring(at)] = nil
    if place ~= "last" then messages[key .. tostring(at + UInt64.new(data, 0))] = message end
    return message
end

-- A response returns RSN, sequence number and STETH of its request (RDMA 8.2, 8.3.4).
local function message_of_pull(p, pinfo, v)
    local request = p.packet_type == PULL_REQUEST
    local from, to = tostring(pinfo.net_src), tostring(pinfo.net_dst)
    if v.steth == nil then return nil end
    if not request then from, to = to, from end
    local key = table.concat({from, to, "pull", p.rsn, v.rbth.sequence_number, tostring(v.steth.virtual_address)}, "/")
    if request and messages[key] == nil then return new_message(key, pinfo.number) end
    return messages[key]
end

-- Said once for a frame (m: its marks); a retransmission is of the message of its first copy.
local function show_message(p, m, pinfo, item, kind, v, data)
    if m.message == nil then
        local flow = addresses(pinfo, p.dest_cid)
        local copy = flow .. "/copy/" .. p.packet_type .. "/" .. p.psn
        local message = m.retransmission and messages[copy]
        if not message and p.packet_type == PUSH_DATA then
            message = message_of_push(flow, kind, v, data, pinfo.number)
        elseif not message then
            message = message_of_pull(p, pinfo, v)
        end
        messages[copy] = message
        m.message = message or false
    end
    if m.message then
        item:add(more.message, m.message.number):set_generated()
        item:add(more.message_first, m.message.first):set_generated()
        item:append_text(", message " .. m.message.number)
    end
end

local function dissect_rdma(p, m, tvb, pinfo, tree, cut)
    local front = T.layouts.rbth
    if is_filler(tvb, front.size) then return 0 end
    local item = tree:add(rdma, tvb:range())
    if tvb:len() < front.size then
        if tvb:range(0, 1):uint() == 0x10 and (tvb:len() < 2 or tvb:range(1, 1):uint() == 0) then
            issue(item, cut and "captured-short" or "ulp-too-short")
        elseif tvb:range(0, 1):bitfield(0, 4) == 1 then
            issue(item, "unknown-payload")
        end
        return 0
    end
    local opcode = tvb:range(3, 1):uint()
    local kind = T.rdma[opcode]
    if not likely(tvb:range(0, 1):bitfield(0, 4) == 1, reserved_zero(front, tvb), kind and kind.packet == p.packet_type) then
        if tvb:range(0, 1):bitfield(0, 4) == 1 then issue(item, "unknown-payload") end
        return 0
    end
    if kind == nil then
        issue(item, "reserved-code")
        return 0
    end
    local size = 0
    for _, name in ipairs(kind.headers) do size = size + T.layouts[name].size end
    if tvb:len() < size then
        issue(item, cut and "captured-short" or "ulp-too-short", not cut and {requirement = kind.requirement} or nil)
        return 0
    end
    local at, values = 0, {}
    for _, name in ipairs(kind.headers) do
        local layout = T.layouts[name]
        local sub = tvb:range(at, layout.size)
        values[name] = add_header("rdma", layout, sub:tvb(), item:add(sub, name))
        at = at + layout.size
    end
    item:append_text(", " .. kind.name)
    item:set_len(size)
    pinfo.cols.info:append(" " .. kind.name)
    show_message(p, m, pinfo, item, kind, values, tvb:reported_len() - size - values.rbth.pad)
    lint_rdma(item, p, kind, values, tvb:len() - size, opcode, cut)
    return size
end

local function lint_nvme(tree, p, kind, type, v, data)
    if p.packet_type ~= kind.packet then issue(tree, "wrong-falcon-packet", {severity = "error"}) end
    if v.inv == 1 and type ~= 2 then issue(tree, "misplaced-inv") end
    if type == 5 or type == 2 then
        if data > 4224 then issue(tree, "too-much-data") end
    elseif data > 0 then
        issue(tree, "unexpected-payload", T.layouts[kind.layout])
    end
    if type == 1 and p.packet_type == PULL_REQUEST and (p.request_length < 36 or p.request_length > 36 + 4224) then
        issue(tree, "request-length-mismatch", {requirement = "NVME-8.6-02"})
    end
end

-- ---- commands: packets that carry one command of a host (NVME 6.5), which may go to two targets ----

-- The initiator, its function and the iCMD identifier name a command. A request for an nCMD that the command
-- has already is of the next command with this identifier, unless it is a retransmission.
local function command_of(m, pinfo, type, v)
    local request = type == 0 or type == 4
    local initiator = tostring((request or type == 2) and pinfo.net_src or pinfo.net_dst)
    local key = table.concat({initiator, v.initiator_function, v.icmd_identifier}, "/")
    local command = commands[key]
    if not request then return command end
    local ncmd = table.concat({v.s, v.ng, v.ncnt_offset}, "/")
    if command == nil or command.ncmds[ncmd] and not m.retransmission then
        num_commands = num_commands + 1
        command = {number = num_commands, first = pinfo.number, ncmds = {}}
        commands[key] = command
    end
    command.ncmds[ncmd] = true
    return command
end

-- Said once for a frame (m: its marks).
local function show_command(m, pinfo, item, type, v)
    if m.command == nil then m.command = command_of(m, pinfo, type, v) or false end
    if m.command then
        item:add(more.command, m.command.number):set_generated()
        item:add(more.command_first, m.command.first):set_generated()
        item:append_text(", command " .. m.command.number .. ", nCMD " .. v.ncnt_offset + 1 .. " of " .. v.ncnt_total + 1)
    end
end

local function dissect_nvme(p, m, tvb, pinfo, tree, cut)
    local front = T.layouts.nbth
    if is_filler(tvb, front.size) then return 0 end
    local item = tree:add(nvme, tvb:range())
    local version, type = tvb:range(0, 1):bitfield(0, 4), tvb:range(0, 1):bitfield(4, 4)
    local kind = T.nvme[type]
    local carried = kind ~= nil and kind.packet == p.packet_type
    if tvb:len() < front.size then
        if version == 1 and carried then
            issue(item, cut and "captured-short" or "ulp-too-short")
        elseif version == 1 then
            issue(item, "unknown-payload")
        end
        return 0
    end
    if not likely(version == 1, reserved_zero(front, tvb), carried) then
        if version == 1 then issue(item, "unknown-payload") end
        return 0
    end
    if kind == nil then
        issue(item, "reserved-code")
        return 0
    end
    local layout = T.layouts[kind.layout]
    if tvb:len() < layout.size then
        issue(item, cut and "captured-short" or "ulp-too-short")
        return 0
    end
    local values = add_header("nvme", layout, tvb:range(0, layout.size):tvb(), item)
    item:append_text(", " .. kind.name)
    item:set_len(layout.size)
    pinfo.cols.info:append(" nvme " .. kind.name)
    show_command(m, pinfo, item, type, values)
    lint_nvme(item, p, kind, type, values, tvb:len() - layout.size)
    return layout.size
end

-- ---- conversations ----

local flows, num_flows = {}, 0 -- key: number
local sent = {}                -- key of a PSN: the first frame that had it
local initials = {}            -- direction and window: the first numbers, one of each connection
local marks = {}               -- frame/offset: what was found out when it was first seen

function falcon.init()
    flows, num_flows, sent, initials, marks = {}, 0, {}, {}, {}
    forget_messages()
end

local function window_of(type, of)
    if type == RESYNC then type = of end
    return type == PULL_REQUEST and "request" or "data"
end

-- A number is shown as a distance from the first one of its window. A number that is near none of those
-- that are known is the first one of another connection; beyond INITIALS connections it stays as it is.
-- One that is a little lower than the first becomes the first: its packet was late, or a base shows it.
-- So numbers are right when all frames were seen once: in Wireshark, and in tshark with -2.
local NEAR, BEHIND, INITIALS = 2 ^ 20, 2 ^ 10, 256
local function relative(from, to, window, number)
    local key = from .. ">" .. to .. "/" .. window
    local known = initials[key]
    if known == nil then
        known = {}
        initials[key] = known
    end
    for _, connection in ipairs(known) do
        local ahead = (number - connection.first) % 2 ^ 32
        if 2 ^ 32 - ahead <= BEHIND then connection.first = number end
        if ahead < NEAR or connection.first == number then return {number = number, connection = connection} end
    end
    if #known == INITIALS then return {number = number} end
    known[#known + 1] = {first = number}
    return {number = number, connection = known[#known]}
end

local function shown(n) -- "3r"
    if n == nil then return nil end
    if n.connection == nil or not falcon.prefs.relative then return string.format("%d", n.number) end
    return string.format("%dr", (n.number - n.connection.first) % 2 ^ 32)
end

-- The numbers of a packet as reports show them. The receiver's bases count the packets of the other
-- end; the RSN of pull data is that of the end that asked.
local function relatives(pinfo, p)
    local here, there = tostring(pinfo.net_src), tostring(pinfo.net_dst)
    local out = {dbase = relative(there, here, "data", p.recv_data_base_psn),
        rbase = relative(there, here, "request", p.recv_req_base_psn)}
    if p.psn ~= nil then
        local type = p.packet_type == RESYNC and p.resync_packet_type or p.packet_type
        out.psn = relative(here, there, window_of(p.packet_type, p.resync_packet_type), p.psn)
        if type == PULL_DATA then out.rsn = relative(there, here, "rsn", p.rsn)
        else out.rsn = relative(here, there, "rsn", p.rsn) end
    end
    if p.nack_psn ~= nil then
        out.nack_psn = relative(there, here, p.window == 1 and "request" or "data", p.nack_psn)
    end
    return out
end

-- Said once, when the frame is first seen, for frames are shown in any order.
local function mark(pinfo, tvb, p)
    local key = pinfo.number .. "/" .. tvb:offset()
    if marks[key] ~= nil then return marks[key] end
    local m, flow = {}, addresses(pinfo, p.dest_cid)
    if flows[flow] == nil then
        flows[flow] = num_flows
        num_flows = num_flows + 1
    end
    m.flow = flows[flow]
    m.relative = relatives(pinfo, p)
    if p.psn ~= nil then
        m.window = window_of(p.packet_type, p.resync_packet_type)
        local psn = flow .. "/" .. m.window .. "/" .. p.psn
        local first = sent[psn]
        if p.packet_type == RESYNC then
            if first ~= nil and first.resync ~= nil then m.retransmission = first.resync
            elseif first ~= nil then m.replaces = first.frame end
            sent[psn] = {frame = first and first.frame or pinfo.number, resync = first and first.resync or pinfo.number}
        elseif first ~= nil and first.rsn == p.rsn and first.type == p.packet_type then
            m.retransmission = first.frame
        else -- new, or the number has come round
            sent[psn] = {frame = pinfo.number, rsn = p.rsn, type = p.packet_type}
        end
        -- Who refuses it names it by the other direction's addresses.
        sent["to/" .. tostring(pinfo.net_src) .. ">" .. tostring(pinfo.net_dst) .. "/" .. m.window .. "/" .. p.psn] = pinfo.number
    end
    if p.nack_psn ~= nil then
        m.refused = sent["to/" .. tostring(pinfo.net_dst) .. ">" .. tostring(pinfo.net_src) .. "/" ..
            (p.window == 1 and "request" or "data") .. "/" .. p.nack_psn]
    end
    marks[key] = m
    return m
end

local function show_marks(tree, m)
    tree:add(more.flow, m.flow):set_generated()
    if m.window then tree:add(more.window, m.window):set_generated() end
    if m.retransmission then
        local item = tree:add(more.retransmission, m.retransmission)
        item:set_generated()
        item:add_proto_expert_info(again)
    end
    if m.replaces then tree:add(more.replaces, m.replaces):set_generated() end
    if m.refused then tree:add(more.refused, m.refused):set_generated() end
end

-- ---- Falcon ----

local function bit_at(tvb, row, from_low) -- bit n of a bitmap, counted from its lowest
    local at = row.at + row.bits - 1 - from_low
    return tvb:range(math.floor(at / 8), 1):bitfield(at % 8, 1) == 1
end

local function row_named(layout, name)
    for _, row in ipairs(layout.fields) do
        if row.name == name then return row end
    end
end

local function lint_eack(tvb, tree, layout)
    local ack, rx, req = row_named(layout, "data_ack_bitmap"), row_named(layout, "data_rx_bitmap"), row_named(layout, "req_bitmap")
    if bit_at(tvb, ack, 0) then issue(tree, "base-acknowledged") end
    if bit_at(tvb, req, 0) then issue(tree, "base-acknowledged") end
    for i = 0, ack.bits - 1 do
        if bit_at(tvb, ack, i) and not bit_at(tvb, rx, i) then
            issue(tree, "ack-without-rx")
            break
        end
    end
end

local function lint_falcon(tvb, tree, layout, p, payload, cut)
    local type = p.packet_type
    if type == PULL_REQUEST or type == PULL_DATA then return end
    if type == PUSH_DATA then
        if not cut and p.request_length ~= payload then
            issue(tree, "request-length-mismatch", nil, p.request_length .. " said, " .. payload .. " there")
        end
        return
    end
    if type == NACK and p.rnr_timeout ~= 0 and p.nack_code ~= 2 then issue(tree, "rnr-timeout-without-rnr") end
    if type == BACK and p.own ~= 0 then issue(tree, "own-in-back") end
    if type == EACK then lint_eack(tvb, tree, layout) end
    if p.rue_info ~= nil then
        local bits = row_named(layout, "rue_info").bits
        if p.rue_info >= 2 ^ (bits - 1) then issue(tree, "disputed-rue-bit") end
    end
    if payload > 0 then issue(tree, "unexpected-payload", layout) end
end

-- A bitmap as in the notation: binary up to 16 bits, else hexadecimal.
local function bitmap(tvb, row)
    local top, text = -1, ""
    for i = row.bits - 1, 0, -1 do
        if bit_at(tvb, row, i) then
            top = i
            break
        end
    end
    if top < 16 then
        for i = top, 0, -1 do text = text .. (bit_at(tvb, row, i) and "1" or "0") end
        return top < 0 and "0" or "0b" .. text
    end
    for i = math.floor(top / 4), 0, -1 do
        local digit = 0
        for k = 3, 0, -1 do digit = digit * 2 + (bit_at(tvb, row, i * 4 + k) and 1 or 0) end
        text = text .. string.format("%x", digit)
    end
    return "0x" .. text
end

local function name_in(layout, field, value)
    local row = row_named(layout, field)
    return row.names and row.names[value] or tostring(value)
end

-- "10us": nanoseconds with the greatest unit of which there is one.
local function duration(ns)
    for _, unit in ipairs({{1000000, "ms"}, {1000, "us"}}) do
        if ns >= unit[1] then return string.format("%g", ns / unit[1]) .. unit[2] end
    end
    return string.format("%d", ns) .. "ns"
end

-- What only ACKs, NACKs and Resyncs say.
local function answer_of(tvb, layout, p)
    local text = ""
    if p.packet_type == EACK then
        for _, map in ipairs({{"dack", "data_ack_bitmap"}, {"drx", "data_rx_bitmap"}, {"req", "req_bitmap"}}) do
            local bits = bitmap(tvb, row_named(layout, map[2]))
            if bits ~= "0" then text = text .. " " .. map[1] .. "=" .. bits end
        end
    end
    if p.own ~= nil and p.own % 2 == 1 then text = text .. " r-own" end
    if p.own ~= nil and p.own >= 2 then text = text .. " d-own" end
    if p.packet_type == NACK then
        text = text .. " code=" .. name_in(layout, "nack_code", p.nack_code)
        if p.nack_code == 2 or p.rnr_timeout ~= 0 then text = text .. " rnr=" .. duration(T.rnr[p.rnr_timeout]) end
        text = text .. " w=" .. name_in(layout, "window", p.window)
        if p.ulp_nack_code ~= 0 then text = text .. " ulp_nack_code=" .. p.ulp_nack_code end
    elseif p.packet_type == RESYNC then
        text = text .. " code=" .. name_in(layout, "resync_code", p.resync_code) ..
            " of=" .. name_in(layout, "resync_packet_type", p.resync_packet_type)
    end
    return text
end

local function info_of(tvb, layout, p, m)
    local n = m.relative
    local text = layout.name .. " cid=" .. p.dest_cid .. " dbase=" .. shown(n.dbase) .. " rbase=" .. shown(n.rbase)
    if p.psn then text = text .. " psn=" .. shown(n.psn) .. " rsn=" .. shown(n.rsn) end
    if p.nack_psn then text = text .. " nack_psn=" .. shown(n.nack_psn) end
    if p.request_length then text = text .. " len=" .. p.request_length end
    text = text .. answer_of(tvb, layout, p)
    if p.ack_req == 1 then text = text .. " ar" end
    return text
end

-- What has no whole header: what can be said of its front.
local function dissect_short(tvb, tree, layout, cut)
    local base_layout = layout or T.layouts.pull_data
    if tvb:len() >= 4 then
        local row = row_named(base_layout, "version")
        local item = tree:add(fields.falcon.version, tvb:range(0, 1), value_of(tvb, row))
        if value_of(tvb, row) ~= row.due then issue(item, "wrong-constant", row) end
        tree:add(fields.falcon.dest_cid, tvb:range(1, 3), tvb:range(1, 3):uint())
    end
    if tvb:len() >= 8 then
        local row = row_named(base_layout, "packet_type")
        local item = tree:add(fields.falcon.packet_type, tvb:range(7, 1), value_of(tvb, row))
        if layout == nil then
            issue(item, "reserved-code", row)
            return
        end
    end
    issue(tree, cut and "captured-short" or "packet-too-short",
        not cut and (layout or {requirement = "FTP-7.2-01", severity = "error"}) or nil)
end

function falcon.dissector(tvb, pinfo, root)
    local tree = root:add(falcon, tvb:range())
    local cut = tvb:len() < tvb:reported_len()
    local layout = tvb:len() >= 8 and T.layouts[T.falcon[tvb:range(7, 1):bitfield(3, 4)] or RESERVED_TYPE] or nil
    pinfo.cols.protocol = "Falcon"
    if layout == nil or tvb:len() < layout.size then
        pinfo.cols.info = "Falcon, not whole"
        dissect_short(tvb, tree, layout, cut)
        return tvb:len()
    end
    local p = add_header("falcon", layout, tvb, tree)
    local payload = tvb:len() - layout.size
    local m = mark(pinfo, tvb, p)
    pinfo.cols.info = (m.retransmission and "[retransmission] " or "") .. info_of(tvb, layout, p, m)
    tree:append_text(", " .. layout.name)
    tree:set_len(layout.size)
    if p.rnr_timeout then tree:add(more.rnr_ns, UInt64.new(T.rnr[p.rnr_timeout])):set_generated() end
    show_marks(tree, m)
    lint_falcon(tvb, tree, layout, p, payload, cut)
    local used = 0
    local carries = p.packet_type == PULL_REQUEST or p.packet_type == PULL_DATA or p.packet_type == PUSH_DATA
    if payload > 0 then
        local rest = tvb:range(layout.size):tvb()
        if carries and p.protocol_type == 2 then used = dissect_rdma(p, m, rest, pinfo, root, cut)
        elseif carries and p.protocol_type == 3 then used = dissect_nvme(p, m, rest, pinfo, root, cut) end
        if used < payload then root:add(more.payload, tvb:range(layout.size + used)) end
    end
    return tvb:len()
end

-- ---- PSP ----

local function dissect_inner(next_header, tvb, pinfo, root)
    if next_header == 252 then return falcon.dissector(tvb, pinfo, root) end
    local inner = next_header == 4 and "ip" or next_header == 41 and "ipv6" or "data"
    return Dissector.get(inner):call(tvb, pinfo, root)
end

-- The crypt offset that leaves version and CID of the Falcon header in the clear, or nil where nobody can tell.
local function due_offset(v, tvb, at, clear)
    local words, inner = v.v == 1 and 3 or 1, at + (v.v == 1 and 8 or 0)
    local seen = clear - (v.v == 1 and 8 or 0)
    if v.next_header == 252 then return words end
    if v.next_header == 4 then
        local ihl = seen > 0 and tvb:len() > inner and tvb:range(inner, 1):bitfield(4, 4) or 5
        return words + math.max(ihl, 5)
    end
    if v.next_header == 41 then
        if seen > 6 and (tvb:len() <= inner + 6 or tvb:range(inner + 6, 1):uint() ~= 252) then return nil end
        return words + 10
    end
end

function psp.dissector(tvb, pinfo, root)
    local layout, cookie = T.layouts.psp, T.layouts.psp_vc
    if tvb:len() < layout.size then return 0 end
    local tree = root:add(psp, tvb:range(0, layout.size))
    pinfo.cols.protocol = "PSP"
    local v = add_header("psp", layout, tvb:range(0, layout.size):tvb(), tree)
    local at, size = layout.size, 8 + 8 * v.hdr_ext_len
    local encrypts = v.version ~= 2 and v.version ~= 3 -- GMAC leaves all in the clear
    local plain = falcon.prefs.decrypted or not encrypts
    local clear = 4 * v.crypt_offset
    if v.v == 1 and tvb:len() >= at + cookie.size and (plain or clear >= cookie.size) then
        add_header("psp", cookie, tvb:range(at, cookie.size):tvb(), tree)
    end
    local due = encrypts and due_offset(v, tvb, at, clear)
    if due and due ~= v.crypt_offset then issue(tree, "wrong-crypt-offset", nil, "due " .. due) end
    local icv = falcon.prefs.icv and 16 or 0
    if not plain then
        local first = math.min(layout.size + clear, tvb:len())
        if clear > 0 and first > at then tree:add(more.clear, tvb:range(at, first - at)) end
        if tvb:len() - icv > first then tree:add(more.sealed, tvb:range(first, tvb:len() - icv - first)) end
    end
    if icv > 0 and tvb:len() == tvb:reported_len() and tvb:len() >= size + icv then
        tree:add(more.icv, tvb:range(tvb:len() - icv, icv))
    end
    if not plain or tvb:len() <= size + icv then return tvb:len() end
    dissect_inner(v.next_header, tvb:range(size, tvb:len() - size - icv):tvb(), pinfo, root)
    return tvb:len()
end

-- ---- where it is found ----

local udp = DissectorTable.get("udp.port")
local now_udp, now_psp
local function register()
    if now_udp then udp:remove(now_udp, falcon) end
    if now_psp then udp:remove(now_psp, psp) end
    now_udp, now_psp = falcon.prefs.udp_port, falcon.prefs.psp_port
    udp:add(now_udp, falcon)
    udp:add(now_psp, psp)
end
falcon.prefs_changed = register
register()
DissectorTable.get("ip.proto"):add(252, falcon)
if wtap and wtap.USER0 then DissectorTable.get("wtap_encap"):add(wtap.USER0, falcon) end
