# Prints the cases of presidio's tests of recognisers as lines of JSON: the recogniser, the text, and the spans, in characters.
# A case without spans is a text in which nothing must be found. Usage: read_presidio.py PRESIDIO
import ast, json, pathlib, sys

folder = pathlib.Path(sys.argv[1]) / 'presidio-analyzer/tests'


def spans(value):
    """A pair of numbers, or a sequence of pairs. The ends may be words such as `max_score`."""
    if isinstance(value, (tuple, list)):
        if len(value) == 2 and all(isinstance(part, int) for part in value):
            return [value]
        if value and all(isinstance(part, (tuple, list)) and len(part) == 2 for part in value):
            if all(isinstance(number, int) for part in value for number in part):
                return list(value)
    return None


for path in sorted(folder.glob('test_*_recognizer.py')):
    name = path.stem.removeprefix('test_').removesuffix('_recognizer')
    seen = set()
    for call in ast.walk(ast.parse(path.read_text())):
        if not (isinstance(call, ast.Call) and ast.unparse(call.func).endswith('parametrize') and len(call.args) > 1):
            continue
        cases = call.args[1]
        for case in cases.elts if isinstance(cases, (ast.List, ast.Tuple)) else []:
            parts = []
            for part in case.elts if isinstance(case, ast.Tuple) else []:
                try:
                    parts.append(ast.literal_eval(part))
                except ValueError:
                    parts.append(None)
            if len(parts) < 3 or not isinstance(parts[0], str) or type(parts[1]) is not int:
                continue
            text, count = parts[0], parts[1]
            found = next((found for part in parts[2:] if (found := spans(part))), [])
            if len(found) < count or text in seen:
                continue
            seen.add(text)
            print(json.dumps([name, text, found[:count]]))
