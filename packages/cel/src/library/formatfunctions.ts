import { type CelValue, list, none, some } from '../value/celvalue.ts'
import { parseDate, parseTimestamp } from '../value/parsetimestamp.ts'
import { utf8Bytes } from '../value/utf8text.ts'
import { dataOf, opaqueValue } from './opaquevalue.ts'
import { type Overload, overload } from './overload.ts'
import { compiledPattern } from './regexfunctions.ts'
import { parseUrl } from './urlfunctions.ts'

/** A named format: its complaints about a text, and the length of its pattern, which its cost depends on. */
export interface Format {
  readonly name: string
  readonly cost: number
  readonly check: (text: string) => readonly string[]
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${QUALIFIED})?`

const LABEL_MESSAGE = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`
const SUBDOMAIN_MESSAGE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`
const LABEL_1035_MESSAGE = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${LABEL_1035}')`
const QUALIFIED_MESSAGE = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`
const LABEL_VALUE_MESSAGE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`

const matching = (pattern: string, longest: number, message: string) => {
  const anchored = `^${pattern}$`
  return (text: string): string[] => {
    const complaints = utf8Bytes(text).length > longest ? [`must be no more than ${longest} characters`] : []
    const re = compiledPattern(anchored)
    return typeof re === 'string' || re.matcher(text).find() ? complaints : [...complaints, message]
  }
}

/** A prefix to which a suffix is appended may end in a dash. */
const asPrefix = (check: (text: string) => readonly string[]) => (text: string) =>
  check(text.replace(/-$/, 'a'))

function qualifiedName(text: string): readonly string[] {
  const parts = text.split('/')
  if (parts.length > 2)
    return [
      `a qualified name ${QUALIFIED_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const [domain, name] = parts.length === 2 ? parts : [undefined, parts[0]!]
  const ofDomain = domain === undefined ? [] : domain === '' ? ['must be non-empty'] : subdomain(domain)
  const ofName =
    name === '' ? ['must be non-empty', QUALIFIED_MESSAGE] : matching(QUALIFIED, 63, QUALIFIED_MESSAGE)(name!)
  return [...ofDomain.map((m) => `prefix part ${m}`), ...ofName.map((m) => `name part ${m}`)]
}

const label = matching(LABEL, 63, LABEL_MESSAGE)
const subdomain = matching(SUBDOMAIN, 253, SUBDOMAIN_MESSAGE)
const label1035 = matching(LABEL_1035, 63, LABEL_1035_MESSAGE)

const saying = (message: string, valid: (text: string) => boolean) => (text: string) =>
  valid(text) ? [] : [message]

function uri(text: string): readonly string[] {
  const url = parseUrl(text)
  return 'complaint' in url ? [url.complaint] : []
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const FORMATS: Readonly<Record<string, Format>> = {
  dns1123Label: { name: 'DNS1123Label', cost: 30, check: label },
  dns1123Subdomain: { name: 'DNS1123Subdomain', cost: 60, check: subdomain },
  dns1035Label: { name: 'DNS1035Label', cost: 30, check: label1035 },
  qualifiedName: { name: 'QualifiedName', cost: 60, check: qualifiedName },
  dns1123LabelPrefix: { name: 'DNS1123LabelPrefix', cost: 30, check: asPrefix(label) },
  dns1123SubdomainPrefix: { name: 'DNS1123SubdomainPrefix', cost: 60, check: asPrefix(subdomain) },
  dns1035LabelPrefix: { name: 'DNS1035LabelPrefix', cost: 30, check: asPrefix(label1035) },
  labelValue: { name: 'LabelValue', cost: 40, check: matching(LABEL_VALUE, 63, LABEL_VALUE_MESSAGE) },
  uri: { name: 'URI', cost: 1103, check: uri },
  uuid: { name: 'uuid', cost: 70, check: saying('does not match the UUID format', (s) => UUID.test(s)) },
  byte: { name: 'byte', cost: 84, check: saying('invalid base64', (s) => s !== '' && BASE64.test(s)) },
  date: { name: 'date', cost: 71, check: saying('invalid date', (s) => parseDate(s) !== undefined) },
  datetime: {
    name: 'datetime',
    cost: 71,
    check: saying('invalid datetime', (s) => parseTimestamp(s) !== undefined),
  },
}

const wrap = (f: Format): CelValue => opaqueValue('format', f, (a, b) => a.name === b.name)

function named(name: string): CelValue {
  return Object.hasOwn(FORMATS, name) ? some(wrap(FORMATS[name]!)) : none
}

function validate(format: CelValue, text: string): CelValue {
  const complaints = dataOf<Format>(format).check(text)
  return complaints.length === 0 ? none : some(list(complaints))
}

export const formatFunctions: readonly Overload[] = [
  ...Object.entries(FORMATS).map(([name, f]) =>
    overload(`format.${name}`, `::format.${name}(): format`, () => wrap(f)),
  ),
  overload('format-named', '::format.named(string): optional<format>', named),
  overload('format-validate', 'format.validate(string): optional<list<string>>', validate),
]
