import LatchkeyWire

/// The faults that wait for their requests; each request takes at most one.
struct NetworkFaults {
    private struct Planned {
        let fault: NetworkFault
        let method: HTTPMethod?
        let path: String?
        var times: Int
    }

    private var planned: [Planned] = []

    mutating func add(_ fault: NetworkFault, method: HTTPMethod?, path: String?, times: Int) {
        planned.append(Planned(fault: fault, method: method, path: path, times: times))
    }

    mutating func removeAll() {
        planned = []
    }

    /// Takes the fault for a request: the first that was planned for one like it.
    mutating func take(for request: HTTPRequest) -> NetworkFault? {
        let place = planned.firstIndex {
            ($0.method ?? request.method) == request.method && ($0.path ?? request.path) == request.path
        }
        guard let place else { return nil }
        planned[place].times -= 1
        let fault = planned[place].fault
        if planned[place].times <= 0 { planned.remove(at: place) }
        return fault
    }
}
