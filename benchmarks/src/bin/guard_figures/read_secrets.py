# Prints the cases of the tests of gitleaks and detect-secrets as lines of JSON: the corpus, the rule, the text, whether it has a
# secret, and the secret if it is known. Usage: read_secrets.py GITLEAKS DETECT_SECRETS
#
# The tests of gitleaks build their texts with a few functions, and make secrets from regexes. This program reads the Go source
# and does the same, with a fixed seed.
import ast, json, pathlib, random, re, sys
from re import _constants as op, _parser as parser

random.seed(4711)
gitleaks, detect_secrets = (pathlib.Path(path) for path in sys.argv[1:3])


def generated(regex):
    """Makes a text that matches a regex. Repetitions without a bound make at most one more, as in the tests of gitleaks."""

    def of(tokens):
        return ''.join(one(kind, value) for kind, value in tokens)

    def members(items):
        letters = []
        for kind, value in items:
            if kind == op.LITERAL:
                letters.append(chr(value))
            elif kind == op.RANGE:
                letters += map(chr, range(value[0], value[1] + 1))
            elif kind == op.CATEGORY:
                letters += {op.CATEGORY_DIGIT: '0123456789'}.get(value, 'abcdefghijklmnopqrstuvwxyz0123456789_')
        return letters

    def one(kind, value):
        if kind == op.LITERAL:
            return chr(value)
        if kind == op.IN:
            return random.choice(members(value))
        if kind == op.BRANCH:
            return of(random.choice(value[1]))
        if kind == op.SUBPATTERN:
            return of(value[3])
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            least, most, inside = value
            count = random.randint(least, min(most, least + 1))
            return ''.join(of(inside) for _ in range(count))
        if kind == op.ANY:
            return random.choice('abcdefgh0123')
        if kind in (op.AT, op.ASSERT, op.ASSERT_NOT):
            return ''
        raise ValueError(kind)

    return of(parser.parse(regex))


SHAPES = {
    'Numeric': '[0-9]', 'Hex': '[a-f0-9]', 'AlphaNumeric': '[a-z0-9]', 'AlphaNumericExtendedShort': '[a-z0-9_-]',
    'AlphaNumericExtended': r'[a-z0-9=_\-]', 'AlphaNumericExtendedLong': r'[a-z0-9\/=_\+\-]',
}
SAMPLES = [
    '{i}Token="{s}"', '{i}Token = "{s}"', '{i}Token={s}', '{i}Token = {s}', '{\n    "{i}_token": "{s}"\n}',
    '{"config.ini": "{I}_TOKEN={s}\\nBACKUP_ENABLED=true"}', '<{i}Token>\n    {s}\n</{i}Token>', '{i}_token: {s}',
    "{i}_token: '{s}'", '{i}_token: "{s}"', 'string {i}Token = "{s}";', 'var {i}Token string = "{s}"', '{i}Token := "{s}"',
    '{i}Token := `{s}`', 'String {i}Token = "{s}";', 'var {i}Token = "{s}"', '${i}Token .= "{s}"', "{i}Token = '{s}'",
    'System.setProperty("{I}_TOKEN", "{s}")', '  "{i}Token" => "{s}"', '{i}_TOKEN = "{s}"', '{i}_TOKEN := "{s}"',
    '{i}_TOKEN ::= "{s}"', '{i}_TOKEN :::= "{s}"', '{i}_TOKEN ?= "{s}"',
]


class Case(str):
    """A text, with the secret in it."""
    secret = None


class Go:
    """Evaluates the expressions of the tests. An expression that it does not know is a ValueError."""
    TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|`[^`]*`|"(?:\\.|[^"\\])*"|[A-Za-z_][\w.]*|\d+|\.\.\.|[-+(){}\[\],&:=*]|.', re.S)

    def __init__(self, source):
        tokens = self.TOKEN.findall(source)
        self.tokens = [token for token in tokens if not token.isspace() and not token.startswith(('//', '/*'))]
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ''

    def take(self, expected=None):
        token = self.peek()
        if expected and token != expected:
            raise ValueError(f'{token} in place of {expected}')
        self.at += 1
        return token

    def expression(self):
        value = self.operand()
        while self.peek() == '+':
            self.take()
            other = self.operand()
            secret = getattr(value, 'secret', None) or getattr(other, 'secret', None)
            value = Case(str(value) + str(other))
            value.secret = secret
        return value

    def operand(self):
        token = self.take()
        if token.startswith('`'):
            return Case(token[1:-1])
        if token.startswith('"'):
            return Case(json.loads(token.replace("\\'", "'")))
        if token == '[':
            self.take(']'), self.take('string')
            return self.items('{', '}')
        if token == 'nil':
            return []
        if self.peek() != '(':
            raise ValueError(token)
        arguments = self.items('(', ')')
        name = token.rsplit('.', 1)[-1]
        if name == 'NewSecret':
            value = Case(generated(arguments[0]))
            value.secret = str(value)
            return value
        if name in SHAPES:
            return Case(f'{SHAPES[name]}{{{arguments[0]}}}')
        if name == 'GenerateSampleSecret':
            value = Case(f'{arguments[0]}_api_token = "{arguments[1]}"')
            value.secret = str(arguments[1])
            return value
        if name == 'GenerateSampleSecrets':
            return [self.sample(shape, *arguments) for shape in SAMPLES]
        if name == 'append':
            raise ValueError('append in an expression')
        raise ValueError(name)

    @staticmethod
    def sample(shape, identifier, secret):
        value = shape.replace('{i}', identifier.lower()).replace('{I}', identifier.upper()).replace('{s}', secret)
        value = Case(value)
        value.secret = str(secret)
        return value

    def items(self, begin, end):
        self.take(begin)
        all = []
        while self.peek() != end:
            value = self.expression()
            if self.peek() == '...':
                self.take()
            all += value if isinstance(value, list) else [value]
            if self.peek() == ',':
                self.take()
        self.take(end)
        return all


def lists(body, name):
    """The values of `name := …` and of `name = append(name, …)`."""
    values, unknown = [], 0
    for found in re.finditer(rf'\b{name}\s*:?=\s*', body):
        go = Go(body[found.end():])
        try:
            if go.peek() == 'append':
                go.take(), go.take('('), go.take(name), go.take(',')
                while go.peek() != ')':
                    value = go.expression()
                    values += value if isinstance(value, list) else [value]
                    while go.peek() in (',', '...'):
                        go.take()
            else:
                value = go.expression()
                values += value if isinstance(value, list) else [value]
        except (ValueError, re.error, IndexError):
            unknown += 1
    return values, unknown


unknown = 0
for path in sorted(gitleaks.glob('cmd/generate/config/rules/*.go')):
    for body in re.split(r'\nfunc ', path.read_text()):
        rule = re.search(r'RuleID:\s*"([^"]+)"', body)
        if not rule:
            continue
        for name, expected in (('tps', True), ('fps', False)):
            values, missed = lists(body, name)
            unknown += missed
            for value in values:
                secret = value.secret if expected else None
                print(json.dumps(['gitleaks', rule[1], value, expected, secret]))
print(f'{unknown} lists of gitleaks could not be read', file=sys.stderr)

for path in sorted(detect_secrets.glob('tests/plugins/*_test.py')):
    module = ast.parse(path.read_text())
    names = {}
    for node in ast.walk(module):
        try:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                names[node.targets[0].id] = eval(compile(ast.Expression(node.value), '', 'eval'), {'__builtins__': {}}, names)
        except Exception:
            pass
    for function in (node for node in ast.walk(module) if isinstance(node, (ast.FunctionDef,))):
        if not function.name.startswith('test_analyze'):
            continue
        for decorator in function.decorator_list:
            if not (isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith('parametrize')):
                continue
            try:
                cases = eval(compile(ast.Expression(decorator.args[1]), '', 'eval'), {'__builtins__': {}}, names)
            except Exception:
                continue
            for case in cases:
                text, expected = (case, True) if isinstance(case, str) else (case[0], case[1] if len(case) > 1 else True)
                if isinstance(text, str) and (expected is None or isinstance(expected, (bool, int, str))):
                    print(json.dumps(['detect-secrets', path.stem.removesuffix('_test'), text, bool(expected), None]))
