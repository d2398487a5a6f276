// The face of this folder: what others import.
export { credentialController, credentialRequest, isRenewed } from './credentialcontroller.ts'
