package import LatchkeyAccounts
package import LatchkeyAdmin
package import LatchkeyCourier
package import LatchkeySelfService
package import LatchkeyServerKit

/// The counters and request histograms of a server, which are zero when the process starts.
package struct ServerMetrics: Sendable {
    /// The latencies of requests and the number of database errors.
    package let requests = RequestMetrics()
    /// The number of created, submitted and completed flows.
    package let flows = FlowMetrics()
    /// The number of open event streams and of sent events.
    package let events = EventMetrics()
    /// The number of requests rejected by a rate limit, for each limit.
    package let limitRefusals = CounterTable<MeteredLimit>(.limitRefusals)
    /// The number of rejected requests to the admin listener, for each reason.
    package let adminRefusals = CounterTable<AdminRefusal>(.adminRefusals)
    /// The number of attempts to send a message, and of database errors in the courier, which are counted
    /// together with those during requests.
    package let courier: CourierMetrics

    /// Creates counters that are all zero.
    package init() {
        courier = CourierMetrics(databaseErrors: requests.databaseErrors)
    }

    /// Writes all request histograms and counters.
    package func write(to text: inout MetricsText) {
        requests.write(to: &text)
        flows.write(to: &text)
        events.write(to: &text)
        limitRefusals.write(to: &text)
        adminRefusals.write(to: &text)
        courier.messages.write(to: &text)
        requests.databaseErrors.write(to: &text)
    }
}
