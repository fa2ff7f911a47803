package import LatchkeyAccounts
package import LatchkeyAdmin
package import LatchkeyCourier
package import LatchkeySelfService
package import LatchkeyServerKit

/// The counters and request histograms of a server; they start at zero when the process starts.
package struct ServerMetrics: Sendable {
    package let requests = RequestMetrics()
    package let flows = FlowMetrics()
    package let limitRefusals = CounterTable<MeteredLimit>(.limitRefusals)
    package let adminRefusals = CounterTable<AdminRefusal>(.adminRefusals)
    package let courier: CourierMetrics

    package init() {
        courier = CourierMetrics(databaseErrors: requests.databaseErrors)
    }

    /// Writes all request histograms and counters.
    package func write(to text: inout MetricsText) {
        requests.write(to: &text)
        flows.write(to: &text)
        limitRefusals.write(to: &text)
        adminRefusals.write(to: &text)
        courier.messages.write(to: &text)
        requests.databaseErrors.write(to: &text)
    }
}
