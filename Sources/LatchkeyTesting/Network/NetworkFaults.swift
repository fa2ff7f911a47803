import LatchkeyWire

/// The faults that are scheduled for a network.
///
/// At most one fault applies to each request.
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
    /// If the method or path is `nil`, the fault matches any method or path.
    ///
    /// If the count is less than 1, this method has no effect.
    mutating func add(_ fault: NetworkFault, method: HTTP.Method?, path: String?, times: Int) {
        guard times > 0 else { return }
        planned.append(Planned(fault: fault, method: method, path: path, times: times))
    }

    /// Removes all scheduled faults, including those that have been partly used up.
    mutating func removeAll() {
        planned = []
    }

    /// Returns the first scheduled fault that matches a request and counts it as used.
    ///
    /// Returns `nil` if no fault matches.
    ///
    /// Faults that were scheduled earlier take precedence. A fault is removed after its last use.
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
