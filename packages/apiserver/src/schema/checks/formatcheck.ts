/**
 * The formats that CustomResourceDefinitions may use (apiextensions-apiserver `validation/formats.go`, checks as
 * kube-openapi `strfmt`). Formats outside this list are ignored, as Kubernetes does. Names are without dashes.
 */
const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (t) => /^[0-9a-fA-F]{24}$/.test(t),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (t) => isIPv4(t),
  ipv6: (t) => t.includes(':') && isIPv6(t),
  cidr: isCidr,
  mac: isMac,
  uuid: (t) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(t),
  uuid3: (t) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(t),
  uuid4: (t) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(t),
  uuid5: (t) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(t),
  isbn: (t) => isIsbn10(t) || isIsbn13(t),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (t) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(t),
  hexcolor: (t) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(t),
  rgbcolor: isRgbColor,
  byte: (t) => t !== '' && t.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(t),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (t) => t.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(t),
  k8slongname: isLongName,
}

/** The check behind a format name, undefined if the format is not one that counts. */
export function formatCheck(format: string): ((text: string) => boolean) | undefined {
  const name = format.replaceAll('-', '')
  return Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined
}

function isRequestUri(t: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what Go refuses
  if (/[\u0000-\u001f\u007f]/.test(t) || t === '') return false
  if (/%(?![0-9a-fA-F]{2})/.test(t)) return false
  return t.startsWith('/') || /^[a-zA-Z][a-zA-Z0-9+.-]*:[^#]/.test(t)
}

function isEmail(t: string): boolean {
  const m = /^(?:[^<>]*<([^<>]+)>|([^<>]+))$/.exec(t.trim())
  const address = (m?.[1] ?? m?.[2] ?? '').trim()
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  return (
    at > 0 &&
    (/^"[^"]*"$/.test(local) ||
      /^[\w!#$%&'*+/=?^`{|}~\u0080-\uffff-]+(\.[\w!#$%&'*+/=?^`{|}~\u0080-\uffff-]+)*$/.test(local)) &&
    /^[\w\u0080-\uffff.[\]:-]+$/.test(address.slice(at + 1))
  )
}

/** RFC 1034 with a digit allowed in front and without underscores; the last of several labels is letters only. */
function isHostname(t: string): boolean {
  if (t.length > 255) return false
  const labels = t.split('.')
  const one = /^[a-zA-Z0-9\p{S}\p{L}]([-a-zA-Z0-9\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u
  if (!labels.every((l) => one.test(l))) return false
  return labels.length === 1 || /^[a-zA-Z\p{L}]{2,63}$/u.test(labels[labels.length - 1] ?? '')
}

function isIPv4(t: string): boolean {
  const parts = t.split('.')
  return parts.length === 4 && parts.every((p) => /^\d{1,3}$/.test(p) && Number(p) <= 255)
}

function isIPv6(t: string): boolean {
  const halves = t.split('::')
  if (halves.length > 2) return false
  let groups = 0
  for (const [i, half] of halves.entries()) {
    if (half === '') continue
    const parts = half.split(':')
    for (const [j, part] of parts.entries()) {
      const isLast = i === halves.length - 1 && j === parts.length - 1
      if (isLast && part.includes('.')) {
        if (!isIPv4(part)) return false
        groups += 2
      } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups++
      else return false
    }
  }
  return halves.length === 2 ? groups < 8 : groups === 8
}

function isCidr(t: string): boolean {
  const m = /^([^/]+)\/(\d{1,3})$/.exec(t)
  if (!m?.[1] || m[2] === undefined) return false
  const bits = Number(m[2])
  return (isIPv4(m[1]) && bits <= 32) || (isIPv6(m[1]) && bits <= 128)
}

function isMac(t: string): boolean {
  const bytes = /^[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2})+$/.test(t) ? t.split(/[:-]/).length : 0
  const groups = /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/.test(t) ? 2 * t.split('.').length : 0
  return [6, 8, 20].includes(bytes || groups)
}

function isIsbn10(t: string): boolean {
  const s = t.replaceAll('-', '').replaceAll(' ', '')
  if (!/^\d{9}[\dX]$/.test(s)) return false
  return [...s].reduce((sum, c, i) => sum + (c === 'X' ? 10 : Number(c)) * (i + 1), 0) % 11 === 0
}

function isIsbn13(t: string): boolean {
  const s = t.replaceAll('-', '').replaceAll(' ', '')
  return /^\d{13}$/.test(s) && [...s].reduce((sum, c, i) => sum + Number(c) * (i % 2 ? 3 : 1), 0) % 10 === 0
}

function isCreditCard(t: string): boolean {
  const digits = t.replace(/\D+/g, '')
  const brands =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/
  if (!brands.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, c, i) => {
    const n = Number(c) * (i % 2 ? 2 : 1)
    return total + (n > 9 ? n - 9 : n)
  }, 0)
  return sum % 10 === 0
}

function isRgbColor(t: string): boolean {
  const m = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(t)
  return m?.slice(1).every((n) => Number(n) <= 255) === true
}

function isDate(t: string): boolean {
  const m = /^(\d{4})-(\d{2})-(\d{2})$/.exec(t)
  return m !== null && isDay(Number(m[1]), Number(m[2]), Number(m[3]))
}

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return days !== undefined && day >= 1 && day <= days
}

function isDateTime(t: string): boolean {
  const m = /^(\d{4})-(\d{2})-(\d{2})[tT](\d{2}):(\d{2}):(\d{2})(\.\d+)?([zZ]|[+-]\d{2}:\d{2})$/.exec(t)
  if (m === null || !isDay(Number(m[1]), Number(m[2]), Number(m[3]))) return false
  return Number(m[4]) <= 23 && Number(m[5]) <= 59 && Number(m[6]) <= 59
}

/** `1h30m` as Go reads it, or a number with a unit in words, as Scala writes it: `22 ns`, `3 days`. */
function isDuration(t: string): boolean {
  if (/^[-+]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(t)) return true
  return /^\d+\s*(ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)$/i.test(
    t,
  )
}

function isLongName(t: string): boolean {
  return t.length <= 253 && t.split('.').every((p) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(p))
}
