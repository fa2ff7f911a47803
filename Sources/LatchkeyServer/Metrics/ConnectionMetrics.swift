import LatchkeyMicrohttpd
import LatchkeyServerKit

/// The number of open client connections of each listener.
struct ConnectionMetrics: MetricsSource {
    /// The listeners and their names.
    let listeners: [(name: String, server: HTTPServer)]

    /// Writes one sample for each listener, with its name as the label.
    func write(to text: inout MetricsText) {
        text.begin(.connections)
        for listener in listeners {
            text.sample(.connections, labels: [listener.name], value: Double(listener.server.connectionCount))
        }
    }
}
