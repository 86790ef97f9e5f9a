#!/usr/bin/env python3
"""lab_page.py PAGE SVG...: checks a page of `talon lab` and its plots. Each plot is XML with a title and a description,
has at most 2000 points a curve, and all of them within its frame; ids of the page are unique."""
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"


def check_plot(root, where):
    if root.find(SVG + "title") is None or root.find(SVG + "desc") is None:
        sys.exit(f"{where}: a plot without a title or a description")
    if not root.find(SVG + "desc").text:
        sys.exit(f"{where}: a plot with an empty description")
    for curve in root.iter(SVG + "polyline"):
        numbers = [float(n) for n in curve.get("points").split()]
        if len(numbers) > 4000 or any(not 32 <= y <= 200 for y in numbers[1::2]):
            sys.exit(f"{where}: a curve with {len(numbers) // 2} points, or points outside the frame")
    labels = [t for t in root.iter(SVG + "text") if t.text]
    if len(labels) < 4:
        sys.exit(f"{where}: axes without labels")


def main():
    page = open(sys.argv[1], encoding="utf-8").read()
    ids = re.findall(r' id="([^"]*)"', page)
    if len(ids) != len(set(ids)):
        sys.exit(f"{sys.argv[1]}: an id occurs twice")
    plots = re.findall(r"<svg .*?</svg>", page, re.S)
    if len(plots) != len(sys.argv) - 2:
        sys.exit(f"{sys.argv[1]}: {len(plots)} plots, but {len(sys.argv) - 2} files")
    for plot in plots:
        check_plot(tree.fromstring(plot.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)), sys.argv[1])
    for name in sys.argv[2:]:
        check_plot(tree.parse(name).getroot(), name)


main()
