"""
Reads campaigns with their raw runs and with what foray says about them, one JSON object a line (told.ts). Recomputes each
number from the raw runs, and prints one JSON line for each sentence that the runs deny. A sentence that no rule knows is
also denied, so that each new sentence needs a rule. The last line has the number of sentences.
"""

import json
import math
import re
import sys
import warnings

import own_numbers as own

# these modules add their rules to the table
import effect_sentences  # noqa: F401
import finding_sentences
import other_sentences
import report_sentences  # noqa: F401
import section_sentences  # noqa: F401
from sentence_table import Campaign, judge

# "; " also separates the parts of these two sentences
WHOLE = re.compile(r"; (?=over the range of|from \S+ to|from the lowest)")


def parts_of(text):
    return re.split(r"; ", WHOLE.sub("\0", text)) if text else []


def sentences(c):
    """All sentences about a campaign, with their kind, the analysis and the point that they are about."""
    said = c.told["said"]
    known = {one["sentence"]: one["analysis"] for one in said["analyses"]}
    main = next((a for a in known.values() if a["output"] == said["best"]["output"] and not a.get("times")), None)
    for one in said["report"]:
        text, kind = one["text"], re.sub(r"-\d+$", "", one["section"])
        is_headline = text.startswith(("Lowest ", "Highest ")) or re.search(r" at [\d,]+ points$", text)
        is_whole = kind in ("facts", "imprecise") or kind == "answer" and is_headline
        if is_whole or text.endswith("|"):
            yield kind, text, main, None
            continue
        if kind == "answer" and text.startswith("The input"):
            yield "headline", text, main, None
            continue
        # the analyses are judged below
        text = next((text.removeprefix(s).strip() for s in known if text.startswith(s)), text)
        for sentence in re.split(r"\. (?=[A-Z0-9])", text.removesuffix(".")) if text else []:
            if kind in ("answer", "best"):
                for part in parts_of(sentence):
                    yield f"{kind} part", part, main, None
            else:
                yield kind, sentence, main, None
    for one in said["analyses"]:
        analysis = one["analysis"]
        kind = "course" if "times" in analysis else "effects"
        for part in parts_of(one["sentence"]):
            yield kind, part.replace("\0", "; "), analysis, None
        for text in one["answer"]:
            yield "headline", text, analysis, None
        for text in analysis["warnings"]:
            yield "warning", text, analysis, None
    for one in said["precision"]:
        yield "precision", one["text"], None, one["point"]
    for note in (c.told["other"] or {"notes": []})["notes"]:
        yield "note", note, None, None


def numbers(c, analysis):
    """The numbers of an analysis that the runs deny, each with the own number."""
    c.analysis = analysis
    if "times" in analysis:
        return
    points = c.points()
    if analysis["method"] == "regression" and analysis.get("r2") is not None:
        found = c.regression()
        yield "r2", analysis["r2"], found.r2
        if analysis.get("adjustedR2") is not None:
            yield "adjustedR2", analysis["adjustedR2"], found.adjusted
        for one in analysis["indices"]:
            if "src" in one:
                is_separable = one["input"] in found.separable
                yield f"src of {one['input']}", one["src"], found.src[one["input"]] if is_separable else math.inf
    if analysis["method"] == "regression" and c.kind == "search":
        return
    if analysis["method"] == "morris" and not c.has_chance and analysis["indices"]:
        found = own.elementary_effects(points, c.told["designRows"], c.inputs)
        for one in analysis["indices"]:
            yield f"muStar of {one['input']}", one["muStar"], found[one["input"]]
    if analysis["method"] == "one-at-a-time":
        compared = c.compared()
        at = {key: compared.of(key) for key in compared.known}
        for one in analysis["indices"]:
            for end in ("low", "high"):
                if end in one:
                    yield f"{end} of {one['input']}", one[end], min(at.values(), key=lambda v: abs(v - one[end]))
    if c.kind == "search":
        points = c.finder.part(0, c.finder.first)
    runs = sum(len(values) for values in points.values.values())
    yield "runs", analysis["runs"], runs


def main():
    count = 0
    for line in sys.stdin:
        c = Campaign(json.loads(line))
        c.finder = finding_sentences.finder_of(c)
        start = {"campaign": c.told["number"], "seed": c.told["seed"], "design": c.kind}

        def tell(output, sentence, why, start=start):
            print(json.dumps({**start, **({"output": output} if output else {}), "sentence": sentence, "own": why}))

        for kind, text, analysis, point in sentences(c):
            c.analysis, c.point = analysis, point
            count += 1
            why = judge(c, kind, text)
            if why:
                tell(analysis and analysis["output"], text, why)
        for one in c.told["said"]["analyses"]:
            for name, shown, value in numbers(c, one["analysis"]):
                count += 1
                if not abs(shown - value) <= 1e-6 * (1 + abs(shown)):
                    tell(one["analysis"]["output"], f"{name} {shown}", f"own number {value}")
        if c.told["other"] is None:
            continue
        for text, why in other_sentences.compared(c):
            tell(None, text, why)
        count += len(c.told["other"]["points"]) * len(c.told["other"]["outputs"])
    print(json.dumps({"sentences": count}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
