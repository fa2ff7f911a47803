import LatchkeyModel

/// What the server counts about itself while it works; one for a server.
package final class ServerMetrics: Sendable {
    package let flowsStarted = CounterTable<FlowKind>(.flowsStarted)
    package let flowsSubmitted = CounterTable<FlowStep>(.flowsSubmitted)
    package let flowsSucceeded = CounterTable<FlowStep>(.flowsSucceeded)
    package let limitRefusals = CounterTable<MeteredLimit>(.limitRefusals)
    package let adminRefusals = CounterTable<AdminRefusal>(.adminRefusals)
    package let messages = CounterTable<MessageAttempt>(.messages)
    package let databaseErrors = CounterTable<DatabaseError.Code>(.databaseErrors)

    /// Requests to no place of the server, or by no method of its place.
    let unmatched = RequestMeter(route: "unmatched", method: "unmatched")

    private let meters = Locked<[String: RequestMeter]>([:])

    package init() {}

    /// The meter of a route, by its template.
    package func meter(_ route: String, _ method: String) -> RequestMeter {
        meters.withLock { meters in
            let key = "\(route) \(method)"
            let meter = meters[key] ?? RequestMeter(route: route, method: method)
            meters[key] = meter
            return meter
        }
    }

    /// Writes all of it.
    package func write(to text: inout MetricsText) {
        text.begin(.requests)
        let meters = meters.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
        for meter in meters + [unmatched] { meter.write(to: &text) }
        flowsStarted.write(to: &text)
        flowsSubmitted.write(to: &text)
        flowsSucceeded.write(to: &text)
        limitRefusals.write(to: &text)
        adminRefusals.write(to: &text)
        messages.write(to: &text)
        databaseErrors.write(to: &text)
    }
}
