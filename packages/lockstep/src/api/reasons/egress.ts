/** The reason of addresses that tenants may not name. */
import { number, oneOf, reason, text } from './reason.ts'
import { anyNumber, type WaitRefOf } from './waitref.ts'

const git: WaitRefOf<'Source'> = { kind: 'Source', name: 'https://git.example.com/web.git' }
const cluster: WaitRefOf<'Cluster'> = { kind: 'Cluster', name: 'cluster-2', namespace: 'platform' }

const WHAT = {
  Loopback: 'loopback',
  LinkLocal: 'link-local',
  Unspecified: 'unspecified',
  Multicast: 'multicast',
} as const

export const egressReasons = {
  HostRefused: reason({
    actor: 'platform',
    on: anyNumber('Source', 'Cluster', 'Object', 'Module', 'Unit', 'External'),
    facts: {
      /** Host name or address, or a `file://` URL. */
      host: text,
      because: oneOf('Loopback', 'LinkLocal', 'Unspecified', 'Multicast', 'Outside'),
      /** Address of a host name. */
      address: text.optional(),
      port: number.optional(),
      /** Folder of local repositories, for `Outside`. */
      root: text.optional(),
    },
    message: (f) => {
      if (f.because === 'Outside') return `${f.host} is not below ${f.root ?? 'the source root'}`
      const address = f.address === undefined || f.address === f.host ? '' : ` (${f.address})`
      return `${f.host}${address} is ${WHAT[f.because]}: --allow-host`
    },
    meaning:
      'An object of a namespace names a host of the controller itself or of its network link, or a folder outside the source root.',
    advice: (f) => {
      if (f.because === 'Outside')
        return 'move the repository below the source root, or start lockstep up with --source-root'
      const port = f.port === undefined ? 'PORT' : `${f.port}`
      return `write another host, or start the controller with --allow-host NAMESPACE=${f.host}:${port}`
    },
    examples: [
      { on: [cluster], host: '169.254.169.254', because: 'LinkLocal', port: 80 },
      { on: [git], host: 'git.example.com', because: 'Loopback', address: '127.0.0.1', port: 443 },
      { on: [git], host: 'file:///etc', because: 'Outside', root: '/home/jane/fleet' },
    ],
  }),
}
