// The face of this folder: what others import.
export { receiverProblem, sendNotification } from './notification.ts'
export { metricProblem, type PrometheusTarget, queryPrometheus } from './prometheus.ts'
