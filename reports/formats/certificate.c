/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/formats/certificate.h"

#include "codecs/base/error.h"
#include "oracles/catalogue.h"

#include <string.h>

/* clang-format off */
static const char style[] =
    ":root{color-scheme:light dark;--fg:#1a1d21;--bg:#fff;--mute:#59636e;--line:#d0d7de;--pass:#116329;--warn:#7d4e00;--fail:#a40e26}"
    "@media (prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--mute:#9aa4af;--line:#3d444d;--pass:#7ee2a0;--warn:#f2cc60;--fail:#ffa198}}"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:70rem;padding:1.5rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}"
    "h1{margin:.2em 0;font-size:1.8rem}h2{font-size:1.2rem;margin:1.6em 0 .4em;border-bottom:1px solid var(--line)}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15em 1em;margin:.6em 0}dt{color:var(--mute)}dd{margin:0;overflow-wrap:anywhere}"
    "table{border-collapse:collapse;width:100%;font-size:.9em}caption{text-align:left;color:var(--mute)}"
    "th,td{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.25em .7em .25em 0;overflow-wrap:anywhere}"
    "code{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;font-size:.88em}.m{color:var(--mute)}"
    ".held,.told{color:var(--pass)}.warned,.waived,.unproven,.missed{color:var(--warn)}"
    "@media (max-width:40rem){body{padding:.7rem}dl{grid-template-columns:1fr}}"
    "@media print{body{max-width:none;padding:0;font-size:10pt}tr{break-inside:avoid}}";
/* clang-format on */

static void put(FILE *out, const char *text)
{
    for (; *text != 0; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            /* A character that HTML may not contain is shown as a question mark. */
            putc((unsigned char)*text < ' ' && *text != '\n' && *text != '\t' ? '?' : *text,
                 out);
        }
    }
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "-";
}

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void row(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<dt>%s</dt><dd>", name);
    put(out, text);
    fputs("</dd>\n", out);
}

static void code_row(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<dt>%s</dt><dd><code>", name);
    put(out, text);
    fputs("</code></dd>\n", out);
}

static void count_row(FILE *out, const char *name, const json_t *counts)
{
    const char *key;
    json_t *value;
    bool first = true;

    fprintf(out, "<dt>%s</dt><dd>", name);
    json_object_foreach((json_t *)counts, key, value)
    {
        if (json_integer_value(value) == 0)
            continue;
        fprintf(out, "%s%" JSON_INTEGER_FORMAT " ", first ? "" : ", ",
                json_integer_value(value));
        put(out, key);
        first = false;
    }
    fputs("</dd>\n", out);
}

static void cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    put(out, text);
    fputs("</td>", out);
}

static void begin_table(FILE *out, const char *caption, const char *const *heads)
{
    fprintf(out, "<table><caption>%s</caption><thead><tr>", caption);
    for (; *heads != NULL; heads++)
        fprintf(out, "<th scope=\"col\">%s</th>", *heads);
    fputs("</tr></thead><tbody>\n", out);
}

static void end_table(FILE *out)
{
    fputs("</tbody></table>\n", out);
}

/* Without a wire a model was tested, not a device: the first line says so. */
static const char *kind_of(const json_t *c)
{
    return json_is_true(json_object_get(json_object_get(c, "sut"), "live"))
               ? ""
               : " of a model in virtual time";
}

static void head(FILE *out, const json_t *c)
{
    const json_t *sut = json_object_get(c, "sut"), *profile = json_object_get(c, "profile");
    const json_t *signer = json_object_get(c, "signer");
    const json_t *challenge = json_object_get(c, "challenge");
    const json_t *frozen = json_object_get(c, "frozen");
    char text[80];

    fprintf(out, "<h1>Certificate of conformance%s</h1>\n<dl>\n", kind_of(c));
    row(out, "Vendor", text_of(sut, "vendor"));
    row(out, "Product", text_of(sut, "product"));
    row(out, "Firmware", text_of(sut, "firmware"));
    row(out, "Identity reported by the device", text_of(sut, "says"));
    row(out, "Address", text_of(sut, "address"));
    row(out, "Specification", text_of(c, "specification"));
    (void)snprintf(text, sizeof text, "%.30s", text_of(profile, "name"));
    row(out, "Profile", text);
    row(out, "", text_of(profile, "title"));
    row(out, "Issued", text_of(c, "issued"));
    row(out, "Tool", text_of(c, "tool"));
    row(out, "Signed by", text_of(signer, "name"));
    row(out, "Type of signer", text_of(signer, "class"));
    code_row(out, "Key (Ed25519)", text_of(signer, "key"));
    code_row(out,
             json_is_true(json_object_get(challenge, "given")) ? "Challenge"
                                                               : "Challenge (drawn)",
             text_of(challenge, "text"));
    code_row(out, "Seed", text_of(c, "seed"));
    (void)snprintf(text, sizeof text,
                   "%" JSON_INTEGER_FORMAT " of an inconclusive case; %" JSON_INTEGER_FORMAT
                   " run%s of each",
                   number_of(frozen, "retries"), number_of(frozen, "repeat"),
                   number_of(frozen, "repeat") == 1 ? "" : "s");
    row(out, "Retries (fixed by the profile)", text);
    count_row(out, "Cases", json_object_get(c, "counts"));
    count_row(out, "Requirements",
              json_object_get(json_object_get(c, "requirements"), "counts"));
    code_row(out, "Interoperability class", text_of(json_object_get(c, "readings"), "class"));
    fputs("</dl>\n<p class=\"m\">This page shows the contents of certificate.json. That file "
          "is signed and contains the hash of this page. <code>talon certify --verify</code> "
          "judges the evidence again.</p>\n",
          out);
}

static void exceptions(FILE *out, const json_t *c)
{
    static const char *const heads[] = {"Waiver", "Cases", "Reason", "Link", NULL};
    const json_t *waivers = json_object_get(c, "waivers");
    size_t i;
    json_t *w;

    fputs("<h2>Exceptions</h2>\n", out);
    if (json_array_size(waivers) == 0) {
        fputs("<p>Nothing was waived.</p>\n", out);
        return;
    }
    begin_table(out, "Deviations accepted before the test", heads);
    json_array_foreach(waivers, i, w)
    {
        fputs("<tr>", out);
        cell(out, text_of(w, "id"));
        fprintf(out, "<td>%" JSON_INTEGER_FORMAT "</td>", number_of(w, "cases"));
        cell(out, text_of(w, "reason"));
        cell(out, text_of(w, "link"));
        fputs("</tr>\n", out);
    }
    end_table(out);
}

static void readings(FILE *out, const json_t *c)
{
    static const char *const heads[] = {"Sentence", "Reading", "", NULL};
    const json_t *list = json_object_get(json_object_get(c, "readings"), "taken");
    size_t i;
    json_t *r;

    fputs("<h2>Readings of ambiguous sentences</h2>\n<p>Some sentences of the specification "
          "can be read in several ways. Two devices that pass with different readings may not "
          "interoperate.</p>\n",
          out);
    if (json_array_size(list) == 0) {
        fputs("<p>No case showed which reading the device uses.</p>\n", out);
        return;
    }
    begin_table(out, "Readings that the device showed", heads);
    json_array_foreach(list, i, r)
    {
        fputs("<tr>", out);
        cell(out, text_of(r, "id"));
        cell(out, text_of(r, "text"));
        cell(out, json_is_true(json_object_get(r, "alternative")) ? "alternative" : "");
        fputs("</tr>\n", out);
    }
    end_table(out);
}

static void requirements(FILE *out, const json_t *c)
{
    static const char *const heads[] = {"Requirement", "State", "Decided", "Title", NULL};
    const json_t *list = json_object_get(json_object_get(c, "requirements"), "list");
    size_t i;
    json_t *r;

    fputs("<h2>Requirements</h2>\n", out);
    begin_table(out, "Requirements of the profile, and how often each was decided", heads);
    json_array_foreach(list, i, r)
    {
        const struct fal_requirement *known = fal_requirement_find(text_of(r, "id"));

        fputs("<tr>", out);
        cell(out, text_of(r, "id"));
        fprintf(out, "<td class=\"%s\">", text_of(r, "state"));
        put(out, text_of(r, "state"));
        fprintf(out, "</td><td>%" JSON_INTEGER_FORMAT "</td><td>", number_of(r, "decided"));
        put(out, known != NULL ? known->title : "");
        if (json_is_string(json_object_get(r, "reason"))) {
            fputs(" <span class=\"m\">", out);
            put(out, text_of(r, "reason"));
            fputs("</span>", out);
        }
        fputs("</td></tr>\n", out);
    }
    end_table(out);
}

static void bench(FILE *out, const json_t *c)
{
    static const char *const heads[] = {"Fault", "Detected", "Case", NULL};
    const json_t *q = json_object_get(c, "qualification");
    size_t i;
    json_t *f;

    fputs("<h2>What this test bench detects</h2>\n<dl>\n", out);
    row(out, "Link", text_of(q, "link"));
    fprintf(
        out,
        "<dt>Bench self-test</dt><dd>detected %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
        " planted faults</dd>\n<dt>Control run on a correct implementation</dt><dd>%" JSON_INTEGER_FORMAT
        " cases, %" JSON_INTEGER_FORMAT " failed</dd>\n</dl>\n",
        number_of(q, "told"), number_of(q, "tried"),
        number_of(json_object_get(q, "control"), "cases"),
        number_of(json_object_get(q, "control"), "failed"));
    begin_table(out,
                "Planted faults of the built-in implementation, run over this type of "
                "link",
                heads);
    json_array_foreach(json_object_get(q, "faults"), i, f)
    {
        bool told = json_is_true(json_object_get(f, "told"));

        fputs("<tr>", out);
        cell(out, text_of(f, "fault"));
        fprintf(out, "<td class=\"%s\">%s</td>", told ? "told" : "missed", told ? "yes" : "no");
        cell(out, text_of(f, "case"));
        fputs("</tr>\n", out);
    }
    end_table(out);
}

static void evidence(FILE *out, const json_t *c)
{
    const json_t *suite = json_object_get(c, "suite");
    const json_t *attempts = json_object_get(c, "attempts");
    char text[60];

    fputs("<h2>Evidence</h2>\n<dl>\n", out);
    code_row(out, "Results (SHA-256)", text_of(c, "results_sha256"));
    code_row(out, "Manifest (SHA-256)", text_of(c, "manifest_sha256"));
    code_row(out, "Scenarios (SHA-256)", text_of(suite, "sha256"));
    (void)snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, number_of(suite, "files"));
    row(out, "Scenario files", text);
    (void)snprintf(
        text, sizeof text, "%" JSON_INTEGER_FORMAT " in all; %zu cases more than once",
        number_of(attempts, "cases"), json_array_size(json_object_get(attempts, "repeated")));
    row(out, "Attempts", text);
    fputs(
        "</dl>\n<p><a href=\"attempts.jsonl\">attempts.jsonl</a> has one line for every run of this certification, granted or not. <a href=\"report.html\">report.html</a> is the report of the run. <a href=\"statement.json\">statement.json</a> is the implementation conformance statement (ICS).</p>\n",
        out);
}

int tl_certificate_html(FILE *out, const json_t *certificate)
{
    const json_t *sut = json_object_get(certificate, "sut");

    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Certificate",
        out);
    fprintf(out, "%s: ", kind_of(certificate));
    put(out, text_of(sut, "vendor"));
    fputs(" ", out);
    put(out, text_of(sut, "product"));
    fprintf(out, "</title>\n<style>%s</style></head>\n<body><main>\n", style);
    head(out, certificate);
    exceptions(out, certificate);
    readings(out, certificate);
    evidence(out, certificate);
    bench(out, certificate);
    requirements(out, certificate);
    fputs("</main></body></html>\n", out);
    return ferror(out) ? FAL_ERR_IO : 0;
}
