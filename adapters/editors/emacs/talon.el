;;; talon.el --- packets and scenarios of Talon -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;; Version: 0.1.0

;;; Commentary:
;; `talon-packets-mode' colours files of packets (*.packets), one a line.
;; `talon-scenario-mode', a minor mode, colours packet lines in the strings of a scenario and makes
;; `compile' run it.  The words are those of `talon help notation'.

;;; Code:

(defconst talon-packet-types
  '("pull_request" "pull_data" "push_data" "resync" "back" "eack" "nack" "packet"))

(defconst talon-line-regexp
  (concat "\\(?:[A-Za-z][A-Za-z0-9_-]*: +\\)?\\(?:\\(?:[^\" \n][^\"\n]*? +\\)?[<>] +\\)?\\(?:"
          (regexp-opt talon-packet-types) "\\(?:[ \"]\\|$\\)\\|hex:\\)")
  "The beginning of a packet line.")

(defconst talon-packets-words
  `((,(concat "\\(?:^\\|[ \"]\\)\\(" (regexp-opt talon-packet-types) "\\)\\(?:[ \"]\\|$\\)")
     1 font-lock-type-face prepend)
    ("\\(?:^\\|[ \"]\\)\\(hex:[0-9A-Fa-f]+\\)" 1 font-lock-type-face prepend)
    ("\\(?:^\\|[ \"]\\)\\([<>]\\) " 1 font-lock-keyword-face prepend)
    (" \\(ar\\|r-own\\|d-own\\|ce\\|se\\|\\.\\.\\.\\)\\(?:[ \"]\\|$\\)" 1 font-lock-builtin-face prepend)
    ("[ !]\\([a-z][a-z0-9_.]*\\)\\(?::[0-9a-fA-Fxb]+\\)?=" 1 font-lock-variable-name-face prepend)
    ("/ +\\(\\(?:rdma\\|nvme\\) +[a-z_]+\\)" 1 font-lock-function-name-face prepend)
    ("\\(\\$\\(?:{[^}\"]*}\\|[A-Za-z_][A-Za-z0-9_]*\\)\\|=@[A-Za-z_][A-Za-z0-9_]*\\)" 1
     font-lock-constant-face prepend)
    ("\\(?:^\\| \\)\\(#[^\"\n]*\\)" 1 font-lock-comment-face prepend))
  "What `font-lock-keywords' has of a packet line.")

;;;###autoload
(define-derived-mode talon-packets-mode prog-mode "Packets"
  "Packets of Talon, one a line."
  (setq-local comment-start "# ")
  (setq-local font-lock-defaults '(talon-packets-words t)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.packets\\'" . talon-packets-mode))

(defun talon--in-strings (keyword)
  "KEYWORD of a packet line, as a matcher of strings that are one."
  (let ((regexp (car keyword)))
    (cons (lambda (limit)
            (let (found)
              (while (and (not found) (re-search-forward regexp limit t))
                (let ((data (match-data))
                      (start (nth 8 (save-excursion (syntax-ppss (match-beginning 1))))))
                  (setq found (and start (save-excursion (goto-char (1+ start))
                                                         (looking-at talon-line-regexp))))
                  (set-match-data data)
                  (goto-char (match-end 1))))
              found))
          (cdr keyword))))

(defconst talon-scenario-words (mapcar #'talon--in-strings talon-packets-words))

;;;###autoload
(define-minor-mode talon-scenario-mode
  "Colours packet lines in a scenario; `compile' runs it."
  :lighter " Talon"
  (if talon-scenario-mode
      (progn (font-lock-add-keywords nil talon-scenario-words t)
             (when buffer-file-name
               (setq-local compile-command
                           (concat "talon run " (shell-quote-argument buffer-file-name)))))
    (font-lock-remove-keywords nil talon-scenario-words))
  (font-lock-flush))

(provide 'talon)
;;; talon.el ends here
