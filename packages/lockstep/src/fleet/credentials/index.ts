// The face of this folder: what others import.
export { type ExecProviders, noProviders, parseProviders } from './provider.ts'
