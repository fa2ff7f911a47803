import LatchkeyWire

/// The faults that are scheduled for a network; at most one of them applies to each request.
struct NetworkFaults {
    private struct Planned {
        let fault: NetworkFault
        let method: HTTP.Method?
        let path: String?
        var times: Int
    }

    private var planned: [Planned] = []

    /// Schedules a fault for the given number of requests.
    ///
    /// A method or path that is `nil` matches every request.
    ///
    /// A count below 1 has no effect.
    mutating func add(_ fault: NetworkFault, method: HTTP.Method?, path: String?, times: Int) {
        guard times > 0 else { return }
        planned.append(Planned(fault: fault, method: method, path: path, times: times))
    }

    /// Removes all scheduled faults, including those with remaining repetitions.
    mutating func removeAll() {
        planned = []
    }

    /// Returns the first scheduled fault that matches a request, or `nil` if there is none, and counts this
    /// use of the fault.
    ///
    /// Earlier faults take precedence, and a fault is removed after its last use.
    mutating func take(for request: HTTP.Request) -> NetworkFault? {
        let place = planned.firstIndex {
            ($0.method ?? request.method) == request.method && ($0.path ?? request.path) == request.path
        }
        guard let place else { return nil }
        planned[place].times -= 1
        let fault = planned[place].fault
        if planned[place].times == 0 { planned.remove(at: place) }
        return fault
    }
}
