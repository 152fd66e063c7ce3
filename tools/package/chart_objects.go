package main

import (
	"fmt"
	"strings"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// rendered is what a chart makes, read strictly: an unknown field is an error.
type rendered struct {
	deployment *apps.Deployment
	config     *core.ConfigMap
	services   []*core.Service
	budget     *policy.PodDisruptionBudget
	scaler     *autoscaling.HorizontalPodAutoscaler
	network    *networking.NetworkPolicy
	monitor    *serviceMonitor
	rules      *prometheusRule
	all        []string // kinds
}

// serviceMonitor and prometheusRule are what the chart uses of the types of Prometheus's operator (monitoring.coreos.com/v1, general knowledge of 2026-11).
type serviceMonitor struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		JobLabel  string             `json:"jobLabel"`
		Selector  meta.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port     string `json:"port"`
			Path     string `json:"path"`
			Interval string `json:"interval"`
		} `json:"endpoints"`
	} `json:"spec"`
}

type prometheusRule struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []struct {
				Alert       string            `json:"alert"`
				Expr        string            `json:"expr"`
				For         string            `json:"for,omitempty"`
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
			} `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}

// decode reads what helm rendered.
func decode(text string) (*rendered, error) {
	r := &rendered{}
	for document := range strings.SplitSeq(text, "\n---\n") {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, document)
		}
		if kind.Kind == "" {
			continue
		}
		if err := yaml.UnmarshalStrict([]byte(document), r.place(kind)); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", kind.Kind, err, document)
		}
		r.all = append(r.all, kind.Kind)
	}
	if r.deployment == nil || r.config == nil || len(r.services) != 2 {
		return nil, fmt.Errorf("only %v are rendered", r.all)
	}
	return r, nil
}

// place is where an object belongs. One that nobody knows fits nowhere.
func (r *rendered) place(kind meta.TypeMeta) any {
	switch kind.APIVersion + " " + kind.Kind {
	case "apps/v1 Deployment":
		r.deployment = &apps.Deployment{}
		return r.deployment
	case "v1 ConfigMap":
		into := &core.ConfigMap{}
		if r.config == nil || strings.HasSuffix(r.config.Name, "-dashboards") {
			r.config = into
		}
		return into
	case "v1 Service":
		r.services = append(r.services, &core.Service{})
		return r.services[len(r.services)-1]
	case "v1 ServiceAccount":
		return &core.ServiceAccount{}
	case "policy/v1 PodDisruptionBudget":
		r.budget = &policy.PodDisruptionBudget{}
		return r.budget
	case "autoscaling/v2 HorizontalPodAutoscaler":
		r.scaler = &autoscaling.HorizontalPodAutoscaler{}
		return r.scaler
	case "networking.k8s.io/v1 NetworkPolicy":
		r.network = &networking.NetworkPolicy{}
		return r.network
	case "monitoring.coreos.com/v1 ServiceMonitor":
		r.monitor = &serviceMonitor{}
		return r.monitor
	case "monitoring.coreos.com/v1 PrometheusRule":
		r.rules = &prometheusRule{}
		return r.rules
	default:
		return &struct{}{}
	}
}
