{{- define "lockstep.labels" -}}
app.kubernetes.io/part-of: lockstep
{{- end -}}

{{- define "lockstep.podLabels" -}}
app.kubernetes.io/name: lockstep
app.kubernetes.io/component: controller
{{- end -}}

{{- define "lockstep.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Rules of one scope that a profile adds, or without one those of all installations; empty if there are none. */ -}}
{{- define "lockstep.rules" -}}
{{- $profile := .profile -}}
{{- $scope := .scope -}}
{{- range .root.Files.Get "files/rights.yaml" | fromYamlArray -}}
{{- if and (eq .scope $scope) (eq (.profile | default "") $profile) }}
- {{ toYaml .rule | nindent 2 | trim }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "lockstep.controllerSubject" -}}
- kind: ServiceAccount
  name: lockstep-controller
  namespace: lockstep-system
{{- end -}}
