package markup

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"text/template/parse"
)

// run is one rendering.
type run struct {
	set  *Set
	out  *bytes.Buffer
	vars []variable
}

type variable struct {
	name  string
	value reflect.Value
}

func (r *run) list(list *parse.ListNode, dot reflect.Value) error {
	if list == nil {
		return nil
	}
	before := len(r.vars)
	for _, n := range list.Nodes {
		if err := r.node(n, dot); err != nil {
			return err
		}
	}
	r.vars = r.vars[:before]
	return nil
}

func (r *run) node(n parse.Node, dot reflect.Value) error {
	switch n := n.(type) {
	case *parse.TextNode:
		r.out.Write(n.Text)
		return nil
	case *parse.ActionNode:
		v, err := r.pipe(n.Pipe, dot)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		r.out.WriteString(r.set.escapes[n](printed(v)))
		return nil
	case *parse.IfNode:
		return r.branch(&n.BranchNode, dot, func(reflect.Value) error { return r.list(n.List, dot) })
	case *parse.WithNode:
		return r.branch(&n.BranchNode, dot, func(v reflect.Value) error { return r.list(n.List, v) })
	case *parse.RangeNode:
		return r.branch(&n.BranchNode, dot, func(v reflect.Value) error { return r.each(n, v) })
	case *parse.TemplateNode:
		var data reflect.Value
		var err error
		if n.Pipe != nil {
			data, err = r.pipe(n.Pipe, dot)
		}
		tree := r.set.trees[n.Name]
		if err != nil || tree == nil {
			return cmp.Or(err, fmt.Errorf("there is no template %s", n.Name))
		}
		return (&run{set: r.set, out: r.out, vars: []variable{{"$", data}}}).list(tree.Root, data)
	default:
		return fmt.Errorf("%s is not understood", n)
	}
}

// branch runs then where the pipeline yields something, else the other list. Variables of the pipeline are gone afterwards.
func (r *run) branch(n *parse.BranchNode, dot reflect.Value, then func(reflect.Value) error) error {
	before := len(r.vars)
	defer func() { r.vars = r.vars[:before] }()
	v, err := r.pipe(n.Pipe, dot)
	if err != nil {
		return err
	}
	if truth(v) {
		return then(v)
	}
	return r.list(n.ElseList, dot)
}

// each runs a list for the members of a slice, or of a map in the order of its keys.
func (r *run) each(n *parse.RangeNode, over reflect.Value) error {
	over = indirect(over)
	var keys, members []reflect.Value
	switch over.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range over.Len() {
			keys, members = append(keys, reflect.ValueOf(i)), append(members, over.Index(i))
		}
	case reflect.Map:
		keys = over.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(printed(a), printed(b)) })
		for _, k := range keys {
			members = append(members, over.MapIndex(k))
		}
	default:
		return fmt.Errorf("%s: %s has no members", n.Pipe, over.Kind())
	}
	top := len(r.vars) - len(n.Pipe.Decl)
	for i, member := range members {
		switch decl := n.Pipe.Decl; len(decl) {
		case 1:
			r.vars[top].value = member
		case 2: //nolint:mnd // a key and a member
			r.vars[top].value, r.vars[top+1].value = keys[i], member
		}
		if err := r.list(n.List, member); err != nil {
			return err
		}
	}
	return nil
}

// pipe evaluates a pipeline and sets its variables.
func (r *run) pipe(p *parse.PipeNode, dot reflect.Value) (reflect.Value, error) {
	if len(p.Cmds) != 1 || p.IsAssign {
		return reflect.Value{}, fmt.Errorf("%s is not understood", p)
	}
	v, err := r.command(p.Cmds[0], dot)
	for _, d := range p.Decl {
		r.vars = append(r.vars, variable{d.Ident[0], v})
	}
	return v, err
}

func (r *run) command(c *parse.CommandNode, dot reflect.Value) (reflect.Value, error) {
	name, call := c.Args[0].(*parse.IdentifierNode)
	if !call {
		if len(c.Args) > 1 {
			return reflect.Value{}, fmt.Errorf("%s: only functions take arguments", c)
		}
		return r.value(c.Args[0], dot)
	}
	args := make([]reflect.Value, 0, len(c.Args)-1)
	for _, a := range c.Args[1:] {
		v, err := r.value(a, dot)
		if err != nil {
			return v, err
		}
		args = append(args, v)
	}
	v, err := called(r.set.funcs[name.Ident], args)
	if err != nil {
		return v, fmt.Errorf("%s: %w", c, err)
	}
	return v, nil
}

// value evaluates what is no call.
func (r *run) value(n parse.Node, dot reflect.Value) (reflect.Value, error) {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.FieldNode:
		return fields(dot, n.Ident)
	case *parse.VariableNode:
		for _, v := range slices.Backward(r.vars) {
			if v.name == n.Ident[0] {
				return fields(v.value, n.Ident[1:])
			}
		}
	case *parse.PipeNode:
		return r.pipe(n, dot)
	case *parse.IdentifierNode:
		return called(r.set.funcs[n.Ident], nil)
	case *parse.StringNode:
		return reflect.ValueOf(n.Text), nil
	case *parse.BoolNode:
		return reflect.ValueOf(n.True), nil
	case *parse.NumberNode:
		if n.IsInt {
			return reflect.ValueOf(int(n.Int64)), nil
		}
	}
	return reflect.Value{}, fmt.Errorf("%s is not understood", n)
}
