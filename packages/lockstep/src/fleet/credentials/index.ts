// The face of this folder: what others import.

export { CredentialCache } from './credentialcache.ts'
export { credentialExpiry } from './credentialexpiry.ts'
export type { CredentialSource } from './credentialsource.ts'
export { type ExecProviders, noProviders, parseProviders } from './provider.ts'
export { connectSource, renewingConnection } from './renewingconnection.ts'
