{{- /* Names, labels and settings. A scope is a dict of root, component and values (those of its pods). */ -}}

{{- define "authservice.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 46 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* The names of the components, as a JSON list. Alerts expect them as the names of the jobs. */ -}}
{{- define "authservice.components" -}}
{{- ternary (list "authservice") (list "core" "gateway") (eq .Values.mode "single") | toJson -}}
{{- end -}}

{{- /* The component that serves HTTP. */ -}}
{{- define "authservice.front" -}}
{{- ternary "authservice" "gateway" (eq .Values.mode "single") -}}
{{- end -}}

{{- define "authservice.name" -}}
{{- $full := include "authservice.fullname" .root -}}
{{- ternary $full (printf "%s-%s" $full .component) (eq .component "authservice") -}}
{{- end -}}

{{- define "authservice.selector" -}}
app.kubernetes.io/name: authservice
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- /* Those of pods have no version: a new chart alone does not replace them. */ -}}
{{- define "authservice.podLabels" -}}
{{ include "authservice.selector" . }}
app.kubernetes.io/part-of: authservice
{{- end -}}

{{- define "authservice.labels" -}}
{{ include "authservice.podLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "authservice.image" -}}
{{- $image := .root.Values.image -}}
{{- $repository := required "image.repository is missing: set it to the name of the image in your registry" $image.repository -}}
{{- if and $image.digest (not .values.imageTag) -}}
{{- printf "%s@%s" $repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (coalesce .values.imageTag $image.tag .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- /* The folder of the secrets in the container. */ -}}
{{- define "authservice.secrets" -}}
/run/secrets/{{ ternary "gateway" "core" (eq .component "gateway") }}
{{- end -}}

{{- define "authservice.host" -}}
{{- index (splitList ":" (urlParse .Values.publicUrl).host) 0 -}}
{{- end -}}

{{- define "authservice.variable" -}}
{{- . | upper | replace "." "_" | replace "-" "_" -}}
{{- end -}}

{{- /* The variables of a component, as a YAML map. */ -}}
{{- define "authservice.settings" -}}
{{- $values := .root.Values -}}
{{- $secrets := include "authservice.secrets" . -}}
{{- $settings := dict
  "APP_PUBLIC_URL" (required "publicUrl is missing: set it to the URL of the service, such as https://auth.example.com" $values.publicUrl)
  "APP_PROCESS_DRAIN_DELAY" (printf "%ds" (int $values.drainDelaySeconds))
  "APP_SHUTDOWN_GRACE" (printf "%ds" (int $values.shutdownGraceSeconds))
  "APP_MANAGEMENT_HOST" "0.0.0.0" -}}
{{- with (urlParse $values.publicUrl).path -}}
{{- $_ := set $settings "APP_HTTP_CONTEXT_PATH" . -}}
{{- end -}}
{{- if ne .component "gateway" -}}
{{- range $name, $file := $values.core.secretFiles -}}
{{- $_ := set $settings (printf "%s_FILE" (include "authservice.variable" $name)) (printf "%s/%s" $secrets $file) -}}
{{- end -}}
{{- with $values.core.bootstrapFile -}}
{{- $_ := set $settings "APP_BOOTSTRAP_FILE" (printf "%s/%s" $secrets .) -}}
{{- end -}}
{{- end -}}
{{- if ne .component "core" -}}
{{- $_ := set $settings "APP_HTTP_HOST" "0.0.0.0" -}}
{{- end -}}
{{- if eq .component "authservice" -}}
{{- $_ := set $settings "APP_RPC_ENABLED" "false" -}}
{{- else if eq .component "core" -}}
{{- $_ := set $settings "APP_RPC_HOST" "0.0.0.0" -}}
{{- $_ := set $settings "APP_RPC_TLS_CERT" (printf "%s/%s" $secrets .values.tls.certificate) -}}
{{- $_ := set $settings "APP_RPC_TLS_KEY" (printf "%s/%s" $secrets .values.tls.key) -}}
{{- $_ := set $settings "APP_RPC_TLS_CLIENT_CA" (printf "%s/%s" $secrets .values.tls.clientCa) -}}
{{- $_ := set $settings "APP_RPC_TRUSTED_GATEWAYS" (join "," .values.tls.trustedGateways) -}}
{{- else -}}
{{- $core := include "authservice.name" (dict "root" .root "component" "core") -}}
{{- $_ := set $settings "APP_GATEWAY_CORE" (printf "dns:///%s.%s.svc.%s:50051" $core .root.Release.Namespace $values.clusterDomain) -}}
{{- $_ := set $settings "APP_GATEWAY_TLS_CA" (printf "%s/%s" $secrets .values.tls.ca) -}}
{{- $_ := set $settings "APP_GATEWAY_TLS_CERT" (printf "%s/%s" $secrets .values.tls.certificate) -}}
{{- $_ := set $settings "APP_GATEWAY_TLS_KEY" (printf "%s/%s" $secrets .values.tls.key) -}}
{{- end -}}
{{- $own := merge (dict) .values.settings -}}
{{- if eq .component "authservice" -}}
{{- $own = merge (dict) $values.gateway.settings $own -}}
{{- end -}}
{{- range $name, $value := merge (dict) $own $values.settings -}}
{{- $text := ternary $value (toJson $value) (kindIs "string" $value) -}}
{{- if kindIs "slice" $value -}}
{{- $text = join "," $value -}}
{{- end -}}
{{- $_ := set $settings (include "authservice.variable" $name) $text -}}
{{- end -}}
{{- if and (ne .component "gateway") (not $settings.APP_FILES_STORE) (ne $settings.APP_BUSINESS_ENABLED "false") (not $values.persistence.enabled) -}}
{{- fail "core.settings needs app.files.store, such as s3://bucket?region=eu-central-1; or turn the shop off by settings: app.business.enabled: false" -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}
