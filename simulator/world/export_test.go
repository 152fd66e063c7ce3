package world

// MaxEnded is how many ended IDs a registry remembers.
const MaxEnded = maxEnded

// MarkEnded ends worlds without creating them.
func (r *Registry) MarkEnded(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(id)
	r.over = nil
}

// Remembered returns how many ended IDs are remembered.
func (r *Registry) Remembered() int { return len(r.ended) }
