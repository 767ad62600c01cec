{{- /* The parts that the pods of Deployments and of the Job for migrations have in common. */ -}}

{{- define "authservice.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "authservice.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "authservice.placement" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{- define "authservice.mounts" -}}
- { name: secrets, mountPath: {{ include "authservice.secrets" . }}, readOnly: true }
- { name: temporary, mountPath: /tmp }
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "authservice.volumes" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range .values.secretNames }}
      - secret: { name: {{ . }} }
      {{- end }}
- { name: temporary, emptyDir: { sizeLimit: {{ .values.temporarySize }} } }
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "authservice.spread" -}}
{{- with .values.topologySpreadConstraints }}
{{- toYaml . }}
{{- else }}
{{- $scope := . }}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "authservice.selector" $scope | nindent 6 }}
{{- end }}
{{- end }}
{{- end -}}
