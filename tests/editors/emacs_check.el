;;; emacs_check.el --- TAP: faces of words of packets -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;; By themselves and within a scenario.  Run by tests/editors/check.
(require 'talon)
(require 'js)
(defvar count 0)
(defvar bad 0)
(defun is (what ok why)
  (setq count (1+ count))
  (unless ok (setq bad (1+ bad)))
  (princ (format "%s %d - %s\n%s" (if ok "ok" "not ok") count what (if ok "" (format "# %s\n" why)))))
(defconst lines
  '("<=$coalescing+20% < eack dbase=1r drx=0b10 ..." "> push_data psn=@p ar # FTP-7.8-22"
    "a: > push_data len=64 / rdma send_only dqp=17"))
(defconst due
  '(("eack" . font-lock-type-face) ("< eack" . font-lock-keyword-face) ("dbase=" . font-lock-variable-name-face)
    ("$coalescing" . font-lock-constant-face) ("ar #" . font-lock-builtin-face) ("# FTP" . font-lock-comment-face)
    ("rdma" . font-lock-function-name-face)))
(defun check (where)
  (font-lock-ensure)
  (dolist (row due)
    (goto-char (point-min))
    (search-forward (car row))
    (let ((face (get-text-property (match-beginning 0) 'face)))
      (is (format "%s %s" (car row) where)
          (eq (if (consp face) (car face) face) (cdr row)) (format "%S, not %S" face (cdr row))))))
(with-temp-buffer
  (talon-packets-mode)
  (insert (mapconcat #'identity lines "\n"))
  (check "by itself"))
(with-temp-buffer
  (if (fboundp (quote js-json-mode)) (js-json-mode) (js-mode))
  (talon-scenario-mode)
  (insert "{\"steps\": [\n" (mapconcat (lambda (l) (format "  \"%s\"" l)) lines ",\n") "],\n  \"note\": \"an ar and an eack \"}")
  (check "in a scenario")
  (goto-char (point-max))
  (search-backward "eack")
  (let ((face (get-text-property (point) 'face)))
    (is "other strings stay as they are" (eq face 'font-lock-string-face) face)))
(princ (format "1..%d\n" count))
(kill-emacs (if (> bad 0) 1 0))
