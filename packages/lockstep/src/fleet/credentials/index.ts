// The face of this folder: what others import.

export { CredentialCache } from './credentialcache.ts'
export { type CredentialLife, credentialLife, isEndless } from './credentialexpiry.ts'
export type { CredentialSource } from './credentialsource.ts'
export { type ExecProviders, noProviders, parseProviders } from './provider.ts'
export {
  expiringTimeMs,
  renewalRetryMs,
  renewalTime,
  tokenAccount,
} from './renewaltime.ts'
export { connectSource, renewingConnection } from './renewingconnection.ts'
export {
  KUBECONFIG_KEY,
  LEAST_TOKEN_SECONDS,
  renewedData,
  type SecretRenewal,
  secretRenewal,
  TOKEN_SECONDS,
} from './secretrenewal.ts'
export { acceptedToken, renewedToken } from './tokenserver.ts'
