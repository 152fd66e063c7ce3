package world

// MaxEnded is how many ended IDs a registry remembers.
const MaxEnded = maxEnded

// MarkEnded records an ID as one that ended.
func (r *Registry) MarkEnded(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(id)
}

// Remembered returns how many ended IDs are remembered.
func (r *Registry) Remembered() int { return len(r.ended) }
