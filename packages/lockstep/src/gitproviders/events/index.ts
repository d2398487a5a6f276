// The face of this folder: what others import.
export type { WebhookPipeline, WebhookReceiver, WebhookRef } from './webhookreceiver.ts'
export { openWebhookServer, WEBHOOK_LIMITS } from './webhookserver.ts'
