import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  param,
  STRING,
  struct,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../type/celtype.ts'

/** Types of Kubernetes' libraries: some are opaque to cel-go and some are objects, which only the names in messages tell. */
export const LIBRARY_TYPES: Readonly<Record<string, CelType>> = {
  url: struct('kubernetes.URL'),
  quantity: struct('kubernetes.Quantity'),
  ip: opaque('net.IP'),
  cidr: opaque('net.CIDR'),
  format: struct('kubernetes.NamedFormat'),
  semver: struct('kubernetes.Semver'),
  authorizer: struct('kubernetes.authorization.Authorizer'),
  pathcheck: struct('kubernetes.authorization.PathCheck'),
  groupcheck: struct('kubernetes.authorization.GroupCheck'),
  resourcecheck: struct('kubernetes.authorization.ResourceCheck'),
  decision: struct('kubernetes.authorization.Decision'),
}

const NAMED: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  duration: DURATION,
  dyn: DYN,
  int: INT,
  null: NULL,
  string: STRING,
  timestamp: TIMESTAMP,
  uint: UINT,
  ...LIBRARY_TYPES,
}

interface FunctionSignature {
  readonly fn: string
  readonly member: boolean
  readonly params: readonly CelType[]
  readonly result: CelType
  readonly typeParams: readonly string[]
}

/** `type.method(type, type): type`, or `function(type): type`. A dot in the name of a function needs `::` before it. */
export function parseSignature(text: string): FunctionSignature {
  const [, head, args, result] = /^(.+?)\((.*)\): (.+)$/.exec(text)!
  const method = /^([a-z]+(?:<.*>)?)\.([A-Za-z]\w*)$/.exec(head!)
  const texts = splitArguments(args!)
  const params = [...(method ? [method[1]!] : []), ...texts].map(parseType)
  return {
    fn: method ? method[2]! : head!.replace(/^::/, ''),
    member: method !== null,
    params,
    result: parseType(result!),
    typeParams: [...new Set(text.match(/\b[A-Z]\b/g) ?? [])],
  }
}

function splitArguments(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    const c = text[i]
    if (c === '<') depth++
    else if (c === '>') depth--
    else if ((c === ',' && depth === 0) || c === undefined) {
      if (text.slice(start, i).trim() !== '') parts.push(text.slice(start, i).trim())
      start = i + 1
    }
  }
  return parts
}

function parseType(text: string): CelType {
  const generic = /^(\w+)<(.*)>$/.exec(text)
  if (!generic) return NAMED[text] ?? param(text)
  const params = splitArguments(generic[2]!).map(parseType)
  if (generic[1] === 'list') return listOf(params[0]!)
  if (generic[1] === 'map') return mapOf(params[0]!, params[1]!)
  return generic[1] === 'optional' ? optionalOf(params[0]!) : typeOf(params[0]!)
}
