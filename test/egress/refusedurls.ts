/** Hosts that no namespace may name, in the forms in which URLs name them. */

/** `https://HOST/`, and the address that it leads to. */
export const REFUSED_HOSTS: readonly (readonly [host: string, address: string, what: string])[] = [
  ['127.0.0.1', '127.0.0.1', 'loopback'],
  ['127.1', '127.0.0.1', 'loopback'],
  ['2130706433', '127.0.0.1', 'loopback'],
  ['0x7f000001', '127.0.0.1', 'loopback'],
  ['0177.0.0.1', '127.0.0.1', 'loopback'],
  ['127.255.255.254', '127.255.255.254', 'loopback'],
  ['localhost', '127.0.0.1', 'loopback'],
  ['LOCALHOST', '127.0.0.1', 'loopback'],
  ['[::1]', '::1', 'loopback'],
  ['[0:0:0:0:0:0:0:1]', '::1', 'loopback'],
  ['[::ffff:127.0.0.1]', '::ffff:7f00:1', 'loopback'],
  ['[::ffff:7f00:1]', '::ffff:7f00:1', 'loopback'],
  ['[::127.0.0.1]', '::7f00:1', 'loopback'],
  ['[64:ff9b::127.0.0.1]', '64:ff9b::7f00:1', 'loopback'],
  ['loopback.evil.example', '127.0.0.1', 'loopback'],
  ['mixed.evil.example', '127.0.0.1', 'loopback'],
  ['169.254.169.254', '169.254.169.254', 'link-local'],
  ['169.254.0.1', '169.254.0.1', 'link-local'],
  ['2852039166', '169.254.169.254', 'link-local'],
  ['0xa9fea9fe', '169.254.169.254', 'link-local'],
  ['0251.0376.0251.0376', '169.254.169.254', 'link-local'],
  ['[::ffff:169.254.169.254]', '::ffff:a9fe:a9fe', 'link-local'],
  ['[fe80::1]', 'fe80::1', 'link-local'],
  ['metadata.evil.example', '169.254.169.254', 'link-local'],
  ['0.0.0.0', '0.0.0.0', 'unspecified'],
  ['0', '0.0.0.0', 'unspecified'],
  ['0.1.2.3', '0.1.2.3', 'unspecified'],
  ['[::]', '::', 'unspecified'],
  ['[::ffff:0.0.0.0]', '::ffff:0:0', 'unspecified'],
  ['224.0.0.1', '224.0.0.1', 'multicast'],
  ['239.255.255.250', '239.255.255.250', 'multicast'],
  ['255.255.255.255', '255.255.255.255', 'multicast'],
  ['[ff02::1]', 'ff02::1', 'multicast'],
]

/** Answers of a name server of an attacker. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  'loopback.evil.example': ['127.0.0.1'],
  'mixed.evil.example': ['192.0.2.7', '127.0.0.1'],
  'metadata.evil.example': ['169.254.169.254'],
}

/** Ends every message about it. */
export const refusalOf = (what: string): string => `is ${what}: --allow-host`
