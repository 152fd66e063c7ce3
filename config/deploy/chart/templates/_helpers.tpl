{{- define "causeway.name" -}}
{{- if contains "causeway" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-causeway" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "causeway.selector" -}}
app.kubernetes.io/name: causeway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "causeway.labels" -}}
{{ include "causeway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The mode in which the process runs: the sandbox is its default. */}}
{{- define "causeway.mode" -}}{{ dig "mode" "sandbox" .Values.config }}{{- end }}

{{/* Whether the state of the only replica is in a volume. */}}
{{- define "causeway.volume" -}}
{{- if and .Values.persistence.enabled (not .Values.sharedState) (eq (include "causeway.mode" .) "production") }}true{{ end }}
{{- end }}

{{/* Refuses values that render, but cannot work. */}}
{{- define "causeway.check" -}}
{{- if and (gt (int .Values.replicas) 1) (eq (include "causeway.mode" .) "sandbox") }}
{{- fail (printf "replicas is %d and the mode is sandbox: a sandbox keeps its worlds in memory, so that requests would reach different worlds. Set replicas=1." (int .Values.replicas)) }}
{{- end }}
{{- if and (gt (int .Values.replicas) 1) (not .Values.sharedState) }}
{{- fail (printf "replicas is %d, but each pod would have API keys, limits and deposits of its own. Put CAUSEWAY_REDIS__URL, CAUSEWAY_STORAGE__URL and CAUSEWAY_PRIVACY__HASH_KEY into the Secret and set sharedState=true, or set replicas=1." (int .Values.replicas)) }}
{{- end }}
{{- if and .Values.sharedState (not .Values.secretName) }}
{{- fail "sharedState is true and secretName is empty: name the Secret with CAUSEWAY_REDIS__URL, CAUSEWAY_STORAGE__URL and CAUSEWAY_PRIVACY__HASH_KEY." }}
{{- end }}
{{- end }}
