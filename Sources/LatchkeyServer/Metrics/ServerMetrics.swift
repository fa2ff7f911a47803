package import LatchkeyAccounts
package import LatchkeyAdmin
package import LatchkeyCommerce
package import LatchkeyCourier
package import LatchkeyServerKit

/// The counters and request histograms of a server.
///
/// The metrics are reset when the process restarts.
package struct ServerMetrics: Sendable {
    /// The request latencies and the number of database errors.
    package let requests = RequestMetrics()
    /// The number of open event streams and the number of events sent.
    package let events = EventMetrics()
    /// The number of attempts to cancel a pending payment of an erased account.
    package let erasedPayments = CounterTable<ErasedPaymentOutcome>(.erasedPayments)
    /// The number of requests rejected by each rate limit.
    package let limitRefusals = CounterTable<MeteredLimit>(.limitRefusals)
    /// The number of requests that the admin listener rejected, for each reason.
    package let adminRefusals = CounterTable<AdminRefusal>(.adminRefusals)
    /// The number of attempts to send a message.
    ///
    /// The courier counts its database errors with the same counter as requests.
    package let courier: CourierMetrics

    /// Creates metrics whose counters are all zero.
    package init() {
        courier = CourierMetrics(databaseErrors: requests.databaseErrors)
    }

    /// Writes all histograms and counters.
    package func write(to text: inout MetricsText) {
        requests.write(to: &text)
        events.write(to: &text)
        erasedPayments.write(to: &text)
        limitRefusals.write(to: &text)
        adminRefusals.write(to: &text)
        courier.messages.write(to: &text)
        requests.databaseErrors.write(to: &text)
    }
}
