/* SPDX-License-Identifier: Apache-2.0
 * history_schema.c - the tables of a history, and how those of one version become those of the
 * next (docs/history.md lists them). A step that was released never changes: databases exist
 * that it has made. Numbers of verdicts, dispositions and proofs are those of
 * the enums; the table `word` names them for people who ask by SQL. */
#include "harness/history/history_db.h"

/* Results come in the order of cases, so that the trend of a case reads neighbours. */
static const char version_1[] =
    "CREATE TABLE version (number INTEGER PRIMARY KEY, talon TEXT NOT NULL,"
    " made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) STRICT;"
    "CREATE TABLE word (kind TEXT NOT NULL, number INTEGER NOT NULL, word TEXT NOT NULL,"
    " PRIMARY KEY (kind, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE,"
    " time INTEGER NOT NULL, device TEXT NOT NULL, firmware TEXT NOT NULL,"
    " profile TEXT NOT NULL, tool TEXT NOT NULL, sut TEXT NOT NULL, seed TEXT NOT NULL,"
    " live INTEGER NOT NULL, partial INTEGER NOT NULL, verdict INTEGER NOT NULL,"
    " cases INTEGER NOT NULL, none INTEGER NOT NULL, pass INTEGER NOT NULL,"
    " warn INTEGER NOT NULL, inconclusive INTEGER NOT NULL, fail INTEGER NOT NULL,"
    " error INTEGER NOT NULL) STRICT;"
    "CREATE TABLE test_case (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " title TEXT NOT NULL, chapter TEXT NOT NULL) STRICT;"
    "CREATE TABLE result (case_id INTEGER NOT NULL REFERENCES test_case,"
    " run_id INTEGER NOT NULL REFERENCES run, verdict INTEGER NOT NULL,"
    " disposition INTEGER NOT NULL, reason TEXT, why TEXT, fingerprint TEXT,"
    " PRIMARY KEY (case_id, run_id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE requirement (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " title TEXT NOT NULL) STRICT;"
    "CREATE TABLE proof (requirement_id INTEGER NOT NULL REFERENCES requirement,"
    " run_id INTEGER NOT NULL REFERENCES run, proof INTEGER NOT NULL,"
    " PRIMARY KEY (requirement_id, run_id)) STRICT, WITHOUT ROWID;";

/* Causes, who signed a certificate, and cases that ended differently within one run. */
static const char version_2[] =
    "ALTER TABLE run ADD COLUMN certificate TEXT;"
    "ALTER TABLE result ADD COLUMN unstable INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE cause (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " sentence TEXT NOT NULL) STRICT;"
    "CREATE TABLE run_cause (cause_id INTEGER NOT NULL REFERENCES cause,"
    " run_id INTEGER NOT NULL REFERENCES run, verdict INTEGER NOT NULL,"
    " cases INTEGER NOT NULL, follows INTEGER NOT NULL,"
    " PRIMARY KEY (cause_id, run_id)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX result_odd ON result (case_id) WHERE verdict > 1 OR unstable <> 0;"
    "CREATE INDEX proof_odd ON proof (requirement_id) WHERE proof > 4;"
    "CREATE VIEW case_result AS SELECT run.id AS run, run.time, run.device, run.firmware,"
    " run.profile, test_case.name AS test_case, word.word AS verdict, result.reason"
    " FROM result JOIN run ON run.id = result.run_id"
    " JOIN test_case ON test_case.id = result.case_id"
    " JOIN word ON word.kind = 'verdict' AND word.number = result.verdict;";

const char *const tl_history_steps[TL_HISTORY_VERSION] = {version_1, version_2};
