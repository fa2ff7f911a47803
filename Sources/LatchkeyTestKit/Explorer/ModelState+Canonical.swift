import LatchkeyCore

extension ModelState {
    /// Returns the state's canonical form.
    ///
    /// States that differ only in names and counters have the same form.
    ///
    /// The order of processes and callers doesn't matter. Logins, credentials, forms and generations are
    /// numbered in order of appearance. Epochs, sign-out counts and refresh reads are encoded as either
    /// current or past, and tokens are numbered relative to the last one used. The remaining budget
    /// and logins that don't occur in the state are left out. All other data in the state machine is
    /// included, because a reducer may depend on it.
    ///
    /// ``init(canonical:budget:)`` converts the form back to one of the states that produce this form.
    ///
    /// If there are three or more processes, we try all orders that sort them by their sketches, and the
    /// lexicographically smallest result is the canonical form.
    ///
    /// - Parameter writer: The encoder, whose buffers are reused.
    /// - Returns: The bytes of the canonical form.
    package func canonical(_ writer: inout ModelStateEncoder) -> [UInt8] {
        if processes.count == 1 {
            writer.write(self, order: [0])
            return writer.bytes
        }
        if processes.count == 2 {
            let (first, second) = (sketch(of: 0), sketch(of: 1))
            writer.write(self, order: first <= second ? [0, 1] : [1, 0])
            guard first == second else { return writer.bytes }
            let one = writer.bytes
            writer.write(self, order: [1, 0])
            return writer.bytes.lexicographicallyPrecedes(one) ? writer.bytes : one
        }
        var best: [UInt8] = []
        for order in orders {
            writer.write(self, order: order)
            if best.isEmpty || writer.bytes.lexicographicallyPrecedes(best) { best = writer.bytes }
        }
        return best
    }

    /// Creates an encoder that can be used for many states.
    package static func makeEncoder(_ bounds: ExplorerBounds) -> ModelStateEncoder {
        ModelStateEncoder(ModelState(empty: bounds))
    }

    /// All orders of the processes in which their sketches are sorted.
    ///
    /// One of these orders leads to the canonical form.
    private var orders: [[Int]] {
        let sketches = processes.indices.map(sketch)
        var orders: [[Int]] = [[]]
        for _ in processes.indices {
            orders = orders.flatMap { order in
                let rest = processes.indices.filter { !order.contains($0) }
                let least = rest.lazy.map { sketches[$0] }.min()
                return rest.filter { sketches[$0] == least }.map { order + [$0] }
            }
        }
        return orders
    }

    /// Returns a number that summarizes a process without depending on names.
    ///
    /// The sketch contains no names, so processes that differ only in names have the same sketch.
    private func sketch(of number: Int) -> UInt64 {
        let machine = processes[number].machine
        var sketch: UInt64 = machine.isUnsaved ? 1 : 0
        func add(_ value: Int) { sketch = sketch &* 31 &+ UInt64(truncatingIfNeeded: value) }
        switch machine.status {
        case .unread: add(0)
        case .unavailable: add(1)
        case .absent: add(2)
        case .present: add(3)
        }
        switch machine.refresh {
        case .idle: add(0)
        case .locking: add(1)
        case .reading: add(2)
        case .asking: add(3)
        case .saving: add(4)
        }
        add(machine.pendingRemoval == nil ? 0 : 1)
        add(machine.replacing)
        add(machine.waiters.count)
        add(processes[number].pending.count)
        add(processes[number].results.count)
        add(processes[number].requests.count)
        add(processes[number].acceptedLogin == nil ? 0 : 1)
        add(processes[number].waitsForLock ? 1 : 0)
        add(processes[number].proceedsWithoutLock ? 1 : 0)
        add(processes[number].hasPendingChange ? 1 : 0)
        add(processes[number].signedOut ? 1 : 0)
        add(lockHolder == UInt8(number) ? 1 : 0)
        add(callerProcesses.count { Int($0) == number })
        return sketch
    }
}

/// Returns a hash of canonical bytes that is the same in every run.
///
/// The function multiplies and folds eight bytes at a time, like Wang Yi's hash functions. The probability
/// that any two out of n states have the same hash is about n² / 2⁶⁵.
func stateKey(_ bytes: some Collection<UInt8>) -> UInt64 {
    var (key, word, filled): (UInt64, UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0, 0)
    for byte in bytes {
        word = word << 8 | UInt64(byte)
        filled += 1
        if filled % 8 == 0 {
            (key, word) = (fold(key ^ 0xE703_7ED1_A0B4_28DB, with: word ^ 0xA076_1D64_78BD_642F), 0)
        }
    }
    key = fold(key ^ 0xE703_7ED1_A0B4_28DB, with: word ^ 0x8EBC_6AF0_9C88_C6E3)
    return fold(key ^ 0x5899_65CC_7537_4CC3, with: filled ^ 0xD6E8_FEB8_6659_FD93)
}

/// Mixes two words by combining the two halves of their 128-bit product with exclusive or.
private func fold(_ left: UInt64, with right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    // The additional term preserves the key if the product happens to be 0.
    return product.high ^ product.low ^ left.byteSwapped &+ right
}
