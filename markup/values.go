package markup

import (
	"errors"
	"fmt"
	"reflect"
)

// indirect follows pointers and interfaces.
func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// fields follows a chain of fields.
func fields(v reflect.Value, names []string) (reflect.Value, error) {
	for _, name := range names {
		in := indirect(v)
		if zero, ok := asked[interface{ IsZero() bool }](in); ok && name == "IsZero" {
			v = reflect.ValueOf(zero.IsZero())
			continue
		}
		if in.Kind() != reflect.Struct {
			return v, fmt.Errorf("there is no .%s in what is no structure: %s", name, in.Kind())
		}
		f, ok := in.Type().FieldByName(name)
		if !ok || !f.IsExported() {
			return v, fmt.Errorf("%s has no field %s; methods are not called", in.Type(), name)
		}
		var err error
		if v, err = in.FieldByIndexErr(f.Index); err != nil {
			return v, err
		}
	}
	return v, nil
}

// asked is a value as an interface, if it is one that can be had.
func asked[T any](v reflect.Value) (T, bool) {
	if !v.IsValid() || !v.CanInterface() {
		var none T
		return none, false
	}
	return reflect.TypeAssert[T](v)
}

// printed is a value as text: what it says of itself, else as fmt prints it; nothing where there is none.
func printed(v reflect.Value) string {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return ""
		}
		if _, ok := asked[fmt.Stringer](v); ok {
			break
		}
		if _, ok := asked[error](v); ok {
			break
		}
		v = v.Elem()
	}
	if !v.IsValid() {
		return ""
	}
	return fmt.Sprint(v.Interface())
}

// truth is whether a value is something: not zero, not empty. A structure always is.
func truth(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Struct:
		return true
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() > 0
	case reflect.Interface:
		return truth(v.Elem())
	default:
		return !v.IsZero()
	}
}

// called calls a function.
func called(f reflect.Value, args []reflect.Value) (reflect.Value, error) {
	t := f.Type()
	if n := t.NumIn(); len(args) != n && (!t.IsVariadic() || len(args) < n-1) {
		return reflect.Value{}, fmt.Errorf("%d arguments, not %d", n, len(args))
	}
	for i := range args {
		want := t.In(min(i, t.NumIn()-1))
		if t.IsVariadic() && i >= t.NumIn()-1 {
			want = want.Elem()
		}
		var err error
		if args[i], err = fitting(args[i], want); err != nil {
			return args[i], fmt.Errorf("argument %d is %w", i+1, err)
		}
	}
	out := f.Call(args)
	if len(out) > 1 && !out[1].IsNil() {
		err, _ := asked[error](out[1])
		return out[0], err
	}
	return out[0], nil
}

// fitting is a value as a type: itself, or what it points at; nothing is the zero value.
func fitting(v reflect.Value, want reflect.Type) (reflect.Value, error) {
	if !v.IsValid() {
		return reflect.Zero(want), nil
	}
	for !v.Type().AssignableTo(want) {
		if k := v.Kind(); (k != reflect.Interface && k != reflect.Pointer) || v.IsNil() {
			return v, fmt.Errorf("%s, not %s", v.Type(), want)
		}
		v = v.Elem()
	}
	return v, nil
}

var errKind = errors.New("only texts, whole numbers and truths are compared")

// plain is a text, a whole number or a truth, whatever its type is called.
func plain(v any) (any, error) {
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.String:
		return r.String(), nil
	case r.Kind() == reflect.Bool:
		return r.Bool(), nil
	case r.CanInt():
		return r.Int(), nil
	case r.CanUint():
		return int64(r.Uint()), nil //nolint:gosec // counts
	default:
		return nil, errKind
	}
}

func same(a, b any) (bool, error) {
	x, err := plain(a)
	y, otherErr := plain(b)
	return x == y, errors.Join(err, otherErr)
}

// builtins are the functions of every template.
func builtins() Funcs {
	return Funcs{
		"print": fmt.Sprint, "printf": fmt.Sprintf, "eq": same,
		"ne":  func(a, b any) (bool, error) { is, err := same(a, b); return !is, err },
		"not": func(v any) bool { return !truth(reflect.ValueOf(v)) },
		"or": func(first any, more ...any) any {
			for _, next := range more {
				if truth(reflect.ValueOf(first)) {
					break
				}
				first = next
			}
			return first
		},
		"ge": func(a, b any) (bool, error) {
			x, err := plain(a)
			y, otherErr := plain(b)
			n, ok := x.(int64)
			m, also := y.(int64)
			if !ok || !also {
				return false, errors.Join(err, otherErr, errKind)
			}
			return n >= m, nil
		},
		"len": func(v any) (int, error) {
			switch in := indirect(reflect.ValueOf(v)); in.Kind() {
			case reflect.Slice, reflect.Map, reflect.Array, reflect.String:
				return in.Len(), nil
			default:
				return 0, fmt.Errorf("%T has no length", v)
			}
		},
		"index": func(of any, key string) (any, error) {
			in := reflect.ValueOf(of)
			if in.Kind() != reflect.Map || in.Type().Key().Kind() != reflect.String {
				return nil, fmt.Errorf("%T has no keys", of)
			}
			if v := in.MapIndex(reflect.ValueOf(key)); v.IsValid() {
				return v.Interface(), nil
			}
			return nil, nil // what is not there is nothing
		},
	}
}
