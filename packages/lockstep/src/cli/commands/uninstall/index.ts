// The face of this folder: what others import.
export { uninstallCommand } from './uninstall.ts'
