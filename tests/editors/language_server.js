// SPDX-License-Identifier: Apache-2.0
// What vscode-json-languageservice (the server behind JSON in VS Code, and in Vim and Emacs with LSP) says of scenario
// files with the schemas as the extension wires them: no error in the suite; completion and errors at places of real
// scenarios. Prints TAP. Arguments: the folder of the npm packages, the folder of the extension, the folder of the suite.
"use strict";
const fs = require("fs");
const path = require("path");
const [modules, extension, suite] = process.argv.slice(2).map((p) => path.resolve(p));
const server = require(path.join(modules, "vscode-json-languageservice"));
const manifest = JSON.parse(fs.readFileSync(path.join(extension, "package.json"), "utf8"));

const service = server.getLanguageService({ schemaRequestService: (uri) => Promise.reject(`not wired: ${uri}`) });
service.configure({
  validate: true,
  allowComments: false,
  schemas: manifest.contributes.jsonValidation.map(({ fileMatch, url }) => ({
    uri: `talon:${url}`,
    fileMatch: [fileMatch],
    schema: JSON.parse(fs.readFileSync(path.join(extension, url), "utf8")),
  })),
});

// A file of the suite by another name, which the wiring knows; without "$schema", which would point elsewhere.
const named = (file) =>
  file.includes("/roce-") ? "x.roce.json" : file.includes("/profiles/") ? "x.profile.json" : "x.scenario.json";
const read = (file) => fs.readFileSync(path.join(suite, file), "utf8").replace(/ *"\$schema": "[^"]*",\n/, "");
const open = (text, name) => {
  const document = server.TextDocument.create(`file:///work/${name}`, "json", 1, text);
  return { document, json: service.parseJSONDocument(document) };
};
const errors = async (text, name) => {
  const { document, json } = open(text, name);
  return service.doValidation(document, json, { schemaValidation: "error" });
};

let count = 0, bad = 0;
const is = (what, ok, why) => {
  count++;
  bad += !ok;
  console.log(`${ok ? "ok" : "not ok"} ${count} - ${what}${ok ? "" : `\n# ${why}`}`);
};

const files = (dir) => fs.readdirSync(path.join(suite, dir), { withFileTypes: true }).flatMap((entry) => {
  const below = path.join(dir, entry.name);
  if (entry.isDirectory()) return entry.name === "schema" ? [] : files(below);
  return entry.name.endsWith(".json") ? [below] : [];
});

// Completion: behind the place in the file that the expression matches, a person types the text before the "|" and asks; the
// text behind it makes the rest of the file valid again.
const TARGET = "8.5.3.5-cie/code-of-cid-target.json";
const MEMBER = '"|": 1, ';
const completions = [
  [TARGET, /"class": (?="valid")/, "|", '"inopportune"', "a class"],
  [TARGET, /"version": 1,\n {2}(?="tags")/, MEMBER, "exercises", "a member of the file"],
  [TARGET, /"params": \{(?="rto")/, MEMBER, "initial_rtt", "a parameter of the connection"],
  [TARGET, /"tester": \{(?="data_psn")/, MEMBER, "req_psn", "a number of an end"],
  [TARGET, /"policy": \[\{(?="request")/, MEMBER, "every", "a rule of the upper layer"],
  [TARGET, /"answer": (?="cid")/, "|", '"withhold"', "an answer"],
  [TARGET, /"auto": \{(?="retransmission")/, MEMBER, "acks", "a member of auto"],
  [TARGET, /"steps": \[\n {4}(?=\{"repeat")/, '{"|": 1}, ', "expect_none", "a verb of a step"],
  [TARGET, /"as": "i", (?="steps")/, MEMBER, "covers", "a member of a repeat"],
  [TARGET, /"event": (?="request", "op": "push", "rsn": "\(\$before)/, "|", '"completion"', "an event"],
  ["profiles/core.json", /"select": \{\n {4}(?="chapter")/, MEMBER, "requirement", "a member of a profile"],
  ["roce-gbn/roce-ack-is-true.json", /"steps": \[\n {4}\{(?="post")/, MEMBER, "drop", "a step of RoCEv2"],
];

// Errors: in the file, `find` is replaced; the error is on the line of the change and matches `says`.
const mistakes = [
  [TARGET, '"class": "valid"', '"class": "vald"', /Value is not accepted. Valid values: "valid"/, "a class that does not exist"],
  [TARGET, '"version": 1', '"version": "1"', /Incorrect type/, "a version that is a string"],
  [TARGET, '"title":', '"titel":', /titel is not allowed/, "a member that does not exist"],
  [TARGET, '  "purpose"', '  "purpos"', /purpos is not allowed|Missing property "purpose"/, "a member that is missing"],
  [TARGET, '"rto": "2s"', '"rtt": "2s"', /rtt is not allowed/, "a parameter that does not exist"],
  [TARGET, '"data_psn"', '"psn"', /psn is not allowed/, "a number that an end does not have"],
  [TARGET, '"answer": "cid"', '"answer": "no"', /Value is not accepted/, "an answer that does not exist"],
  [TARGET, '"retransmission": false', '"retransmission": 0', /Incorrect type/, "a flag that is a number"],
  [TARGET, '"event": "request", "op": "push", "rsn": "($i)r"', '"event": "requests"', /Value is not accepted/, "an event that does not exist"],
  [TARGET, '"as": "i", "steps"', '"as": 1, "steps"', /Incorrect type/, "a variable that is a number"],
  ["profiles/core.json", '"chapter"', '"chapters"', /chapters is not allowed/, "a selection that does not exist"],
  ["roce-gbn/roce-ack-is-true.json", '"drop": "psn=2r"', '"drops": "psn=2r"', /not allowed|Missing property/, "a step of RoCEv2 that does not exist"],
];

(async () => {
  const all = files("");
  const wrong = [];
  for (const file of all)
    for (const error of await errors(read(file), named(`/${file}`)))
      wrong.push(`${file}:${error.range.start.line + 1}: ${error.message}`);
  is(`${all.length} files of the suite have no error`, all.length > 500 && wrong.length === 0, wrong.slice(0, 5).join("\n# "));

  for (const [file, before, typed, label, what] of completions) {
    const text = read(file);
    const match = before.exec(text);
    if (match === null) {
      is(`completion: ${what}`, false, `${file} has no such place`);
      continue;
    }
    const at = match.index + match[0].length;
    const [before_caret, behind] = typed.split("|");
    const { document, json } = open(text.slice(0, at) + before_caret + behind + text.slice(at), named(`/${file}`));
    const list = await service.doComplete(document, document.positionAt(at + before_caret.length), json);
    const labels = list.items.map((item) => item.label);
    is(`completion: ${what}`, labels.includes(label), `${label} is not offered: ${labels.join(" ")}`);
  }
  for (const [file, find, put, says, what] of mistakes) {
    const text = read(file);
    const at = text.indexOf(find);
    const line = text.slice(0, at).split("\n").length - 1;
    const found = at < 0 ? [] : await errors(text.slice(0, at) + put + text.slice(at + find.length), named(`/${file}`));
    const there = found.filter((error) => (error.range.start.line === line || /Missing/.test(error.message)) && says.test(error.message));
    is(`error: ${what}`, there.length > 0, JSON.stringify(found.map((e) => [e.range.start.line + 1, e.message])));
  }
  console.log(`1..${count}`);
  process.exitCode = bad > 0 ? 1 : 0;
})();
