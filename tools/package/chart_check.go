package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
)

// kubernetes is a version that the chart is rendered for.
const kubernetes = "1.33.0"

// checkChart lints the chart and renders it as it comes and with each file of values, and looks at what that makes.
func (m *maker) checkChart(ctx context.Context, path, values string) error {
	files, err := filepath.Glob(filepath.Join(values, "*-values.yaml"))
	if err != nil {
		return err
	}
	for _, file := range append([]string{""}, files...) {
		if err := m.checkValues(ctx, path, file); err != nil {
			return fmt.Errorf("chart with the values %q: %w", filepath.Base(file), err)
		}
	}
	for _, bad := range []string{
		"config.listen=:1", "replicas=0", "image.digest=sha256:1", "secrets.files.CAUSEWAY_AUTH__KEYS_FILE=a", "secrets.files.CAUSEWAY_AUTH__KEYS=a", "unknown=1",
		"extraVolumes[0].name=secrets", "tls.cert=a",
		"autoscaling.enabled=true,autoscaling.min=7",
	} {
		if _, err := m.helm(ctx, "template", "causeway", path, "--kube-version", kubernetes, "--set", bad); err == nil {
			return fmt.Errorf("the chart takes %s", bad)
		}
	}
	m.passed("chart: refuses settings that cannot work")
	m.leave("the chart in a cluster: there is none; admission, probes and scaling were not seen at work")
	return nil
}

// checkValues lints and renders the chart with a file of values, or none.
func (m *maker) checkValues(ctx context.Context, path, file string) error {
	args, name := []string{path, "--kube-version", kubernetes}, "none"
	if file != "" {
		args, name = append(args, "--values", file), filepath.Base(file)
	}
	if _, err := m.helm(ctx, append([]string{"lint", "--strict"}, args...)...); err != nil {
		return err
	}
	text, err := m.helm(ctx, append([]string{"template", "causeway"}, args...)...)
	if err != nil {
		return err
	}
	r, err := decode(string(text))
	if err != nil {
		return err
	}
	var guards error
	switch name {
	case "full-values.yaml":
		guards = errors.Join(r.checkGuards(), r.checkFull())
	case "sandbox-values.yaml": // has none
	default:
		guards = r.checkGuards()
	}
	if err := errors.Join(guards, r.checkPods(), r.checkSelectors(), m.checkSettings(ctx, r)); err != nil {
		return err
	}
	m.passed("chart, values %s: linted and rendered by helm, %d objects decoded strictly (%s), settings read by the binary", name, len(r.all), strings.Join(r.all, ", "))
	return nil
}

// faults are what is wrong, one sentence each.
type faults []error

func (f *faults) where(is bool, what string) {
	if is {
		*f = append(*f, errors.New(what))
	}
}

// checkPods holds the pods to what is promised of them: health on the operator's port, no rights, time to drain.
func (r *rendered) checkPods() error {
	pod := r.deployment.Spec.Template.Spec
	c, rights := pod.Containers[0], pod.SecurityContext
	var f faults
	for path, probe := range map[string]*core.Probe{"/livez": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
		f.where(probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Port.String() != "operator" || probe.HTTPGet.Path != path, "no probe asks for "+path+" on the operator's port")
	}
	f.where(!*rights.RunAsNonRoot || *rights.RunAsUser != nobody || rights.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault, "pods are not confined")
	f.where(*c.SecurityContext.AllowPrivilegeEscalation || !*c.SecurityContext.ReadOnlyRootFilesystem || !slices.Contains(c.SecurityContext.Capabilities.Drop, "ALL"), "the container is not confined")
	f.where(*pod.AutomountServiceAccountToken, "pods have a token of the cluster")
	f.where(*pod.TerminationGracePeriodSeconds < 30, "pods have too little time to drain")
	return errors.Join(append(f, checkVariables(c)...)...)
}

// checkVariables holds the environment to what may be there: where secrets are, and how much memory there is.
func checkVariables(c core.Container) []error {
	var f faults
	limit := c.Resources.Limits.Memory().Value() >> 20
	soft := fmt.Sprintf("%dMiB", limit*4/5)
	f.where(limit == 0, "memory has no limit")
	for _, v := range c.Env {
		f.where(!strings.HasSuffix(v.Name, "_FILE") && v.Name != "GOMEMLIMIT", v.Name+" is handed over as a variable")
		f.where(v.Name == "GOMEMLIMIT" && v.Value != soft, "GOMEMLIMIT is "+v.Value+", four fifths of the limit are "+soft)
	}
	whole := c.Resources.Limits.Memory().Value()%(1<<20) == 0 // else the process finds its limit itself
	f.where(whole != slices.ContainsFunc(c.Env, func(v core.EnvVar) bool { return v.Name == "GOMEMLIMIT" }), "GOMEMLIMIT is missing, or a guess")
	return f
}

// checkGuards looks for what everybody gets who does not turn it off.
func (r *rendered) checkGuards() error {
	if r.budget == nil || r.network == nil {
		return fmt.Errorf("only %v are rendered", r.all)
	}
	return nil
}

// checkSelectors holds whatever selects pods to the labels that they have.
func (r *rendered) checkSelectors() error {
	labels := r.deployment.Spec.Template.Labels
	selectors := map[string]map[string]string{
		"deployment": r.deployment.Spec.Selector.MatchLabels,
	}
	if r.budget != nil {
		selectors["budget"] = r.budget.Spec.Selector.MatchLabels
	}
	if r.network != nil {
		selectors["network policy"] = r.network.Spec.PodSelector.MatchLabels
	}
	for _, s := range r.services {
		selectors["service "+s.Name] = s.Spec.Selector
		for _, p := range s.Spec.Ports {
			if !slices.ContainsFunc(r.deployment.Spec.Template.Spec.Containers[0].Ports, func(c core.ContainerPort) bool { return c.Name == p.TargetPort.String() }) {
				return fmt.Errorf("service %s goes to the port %s, which no container has", s.Name, p.TargetPort.String())
			}
		}
	}
	for who, selector := range selectors {
		if len(selector) == 0 {
			return fmt.Errorf("the %s selects everything", who)
		}
		for k, v := range selector {
			if labels[k] != v {
				return fmt.Errorf("the %s selects %s=%s, the pods have %q", who, k, v, labels[k])
			}
		}
	}
	return nil
}

// checkFull looks at what is there only where it is asked for.
func (r *rendered) checkFull() error {
	if r.scaler == nil || r.monitor == nil || r.rules == nil {
		return fmt.Errorf("only %v are rendered with everything on", r.all)
	}
	var f faults
	f.where(r.deployment.Spec.Replicas != nil || r.scaler.Spec.ScaleTargetRef.Name != r.deployment.Name, "the scaler scales something else, or the deployment says how many pods there are")
	found := slices.ContainsFunc(r.services, func(s *core.Service) bool {
		return s.Labels["app.kubernetes.io/component"] == "operator" && s.Spec.Ports[0].Name == r.monitor.Spec.Endpoints[0].Port && s.Labels[r.monitor.Spec.JobLabel] == "causeway"
	})
	f.where(!found, "the monitor does not find the operator's service, or its job has another name than the alerts ask for")
	f.where(len(r.rules.Spec.Groups) == 0, "there are no alerts")
	pod := r.deployment.Spec.Template.Spec
	f.where(!mounts(pod, "tls", tlsMounted) || !mounts(pod, "catalog", "/etc/causeway/catalog"), "the certificate or a volume of the operator's is not mounted")
	f.where(len(r.network.Spec.Ingress) != 2 || len(r.network.Spec.Egress) != 3, "rules of the network are missing")
	return errors.Join(f...)
}

// mounts reports whether a pod has a volume, and its container has it at a path.
func mounts(pod core.PodSpec, name, path string) bool {
	return slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == name }) &&
		slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m core.VolumeMount) bool { return m.Name == name && m.MountPath == path })
}
