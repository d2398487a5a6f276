import type { Prefix } from '../fields/ipaddress.ts'

/** For whom a connection is: `operator` for flags and the kubeconfig of the hub, else the namespace whose object names the server. */
export type Provenance = 'operator' | Tenant

export interface Tenant {
  readonly namespace: string
  /** Set by `allowingHosts`; absent: none. */
  readonly allowed?: readonly AllowedHost[]
}

/** One value of `--allow-host`. */
export interface AllowedHost {
  /** Absent: all. */
  readonly namespace: string | undefined
  readonly to: { readonly host: string; readonly port: number } | Prefix
}

/** Why a host is refused. */
export interface HostRefusal {
  /** As the URL names it, without brackets. */
  readonly host: string
  readonly port: number
  /** Equals `host` where that is an address. */
  readonly address: string
  readonly because: AddressClass
}

export type AddressClass = 'Loopback' | 'LinkLocal' | 'Unspecified' | 'Multicast'
