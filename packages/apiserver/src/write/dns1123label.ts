/** Forms of names and their texts (apimachinery pkg/util/validation/validation.go). */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const DNS1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const VALUE = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`)
const isLabel = whole(LABEL)
const isSubdomain = whole(SUBDOMAIN)
const is1035 = whole(DNS1035)
const isQualified = whole(QUALIFIED)
const isValue = whole(VALUE)

function regexError(message: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((e) => `'${e}'`).join(' or ')
  return `${message} (e.g. ${shown}, regex used for validation is '${pattern}')`
}

const tooLong = (max: number): string => `must be no more than ${max} bytes`

export function dns1123Label(s: string): string[] {
  const out = s.length > 63 ? [tooLong(63)] : []
  if (isLabel.test(s)) return out
  out.push(
    isSubdomain.test(s)
      ? 'must not contain dots'
      : regexError(
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
          LABEL,
          'my-name',
          '123-abc',
        ),
  )
  return out
}

export function dns1123Subdomain(s: string): string[] {
  const out = s.length > 253 ? [tooLong(253)] : []
  if (!isSubdomain.test(s))
    out.push(
      regexError(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        SUBDOMAIN,
        'example.com',
      ),
    )
  return out
}

export function dns1035Label(s: string): string[] {
  const out = s.length > 63 ? [tooLong(63)] : []
  if (!is1035.test(s))
    out.push(
      regexError(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        DNS1035,
        'my-name',
        'abc-123',
      ),
    )
  return out
}

/** Any text that fits in a path (apimachinery pkg/api/validation/path). */
export function pathSegment(s: string): string[] {
  if (s === '.' || s === '..') return [`may not be '${s}'`]
  return ['/', '%'].filter((c) => s.includes(c)).map((c) => `may not contain '${c}'`)
}

export function qualifiedName(s: string): string[] {
  const parts = s.split('/')
  if (parts.length > 2)
    return [
      `a qualified name ${regexError("must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character", QUALIFIED, 'MyName', 'my.name', '123-abc')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const out: string[] = []
  const name = parts.length === 2 ? parts[1]! : parts[0]!
  if (parts.length === 2) {
    if (parts[0] === '') out.push('prefix part must be non-empty')
    else out.push(...dns1123Subdomain(parts[0]!).map((e) => `prefix part ${e}`))
  }
  if (name === '') out.push('name part must be non-empty')
  else if (name.length > 63) out.push(`name part ${tooLong(63)}`)
  if (!isQualified.test(name))
    out.push(
      `name part ${regexError("must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character", QUALIFIED, 'MyName', 'my.name', '123-abc')}`,
    )
  return out
}

export function labelValue(s: string): string[] {
  const out = s.length > 63 ? [tooLong(63)] : []
  if (!isValue.test(s))
    out.push(
      regexError(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        VALUE,
        'MyValue',
        'my_value',
        '12345',
      ),
    )
  return out
}
