// The face of this folder: what others import.
export { Oracles, type OracleVerdict } from './oracle.ts'
