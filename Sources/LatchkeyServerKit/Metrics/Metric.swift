/// The server's metrics.
///
/// The raw values are the metrics' names in Prometheus.
package enum Metric: String, Sendable, CaseIterable {
    /// The latency of requests, by route template, method and status class.
    case requests = "latchkey_http_request_duration_seconds"
    /// The number of open client connections, by listener.
    case connections = "latchkey_http_open_connections"
    /// The number of flows that were created, by kind.
    case flowsStarted = "latchkey_flows_started_total"
    /// The number of times a flow was submitted, by kind and method.
    case flowsSubmitted = "latchkey_flows_submitted_total"
    /// The number of flows that were completed, by kind and method.
    case flowsSucceeded = "latchkey_flows_succeeded_total"
    /// The number of open event streams and pending polls.
    case sessionStreams = "latchkey_session_streams"
    /// The number of session events that were sent, by type.
    case sessionEvents = "latchkey_session_events_total"
    /// The number of attempts to cancel a pending payment of an erased account, by outcome.
    case erasedPayments = "latchkey_erased_payments_total"
    case limitRefusals = "latchkey_limit_refusals_total"
    case adminRefusals = "latchkey_admin_refusals_total"
    case messages = "latchkey_messages_total"
    case outbox = "latchkey_outbox_messages"
    case outboxAge = "latchkey_outbox_oldest_age_seconds"
    case hashes = "latchkey_password_hash_seconds"
    case hashQueue = "latchkey_password_hash_queue"
    case databaseErrors = "latchkey_database_errors_total"
    case databaseRetries = "latchkey_database_retries_total"
    case databaseConnections = "latchkey_database_connections"
    case databaseQueue = "latchkey_database_queue"
    case build = "latchkey_build_info"
    case memory = "process_resident_memory_bytes"
    case cpu = "process_cpu_seconds_total"
    case openFiles = "process_open_fds"
    case start = "process_start_time_seconds"

    /// The Prometheus type of a metric.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram, summary
    }

    /// The Prometheus type of this metric.
    package var kind: Kind {
        switch self {
        case .requests: .histogram
        case .hashes: .summary
        case .flowsStarted, .flowsSubmitted, .flowsSucceeded, .sessionEvents, .erasedPayments, .limitRefusals,
            .adminRefusals, .messages, .databaseErrors, .databaseRetries, .cpu:
            .counter
        case .connections, .sessionStreams, .outbox, .outboxAge, .hashQueue, .databaseConnections,
            .databaseQueue, .build,
            .memory, .openFiles, .start:
            .gauge
        }
    }

    /// A one-sentence help text for the metric.
    package var help: String {
        switch self {
        case .requests: "Time from the arrival of a request until its response."
        case .connections: "Open client connections."
        case .flowsStarted: "Flows created."
        case .flowsSubmitted: "Flow submissions."
        case .flowsSucceeded:
            """
            Completed flows. For `login`, this is the number of logins. For `registration`, this is the number of new \
            accounts.
            """
        case .sessionStreams: "Open event streams, and polls that are waiting for an event."
        case .sessionEvents: "Session events that were sent."
        case .erasedPayments: "Attempts to cancel a pending payment of an erased account."
        case .limitRefusals: "Requests that a rate limit rejected."
        case .adminRefusals:
            "Requests that the admin listener rejected because of their token or origin."
        case .messages: "Attempts to send a message."
        case .outbox: "Messages waiting to be sent."
        case .outboxAge: "Age of the oldest message that is waiting to be sent."
        case .hashes: "Time to hash a password, not including the wait for a thread."
        case .hashQueue: "Passwords waiting to be hashed."
        case .databaseErrors: "Requests and messages that failed because of a database error."
        case .databaseRetries: "Transactions retried."
        case .databaseConnections: "Open database connections."
        case .databaseQueue: "Statements and transactions waiting for a database connection."
        case .build: "The server's version, as a label; the value is always 1."
        case .memory: "Resident memory of the process."
        case .cpu: "CPU time used by the process."
        case .openFiles: "Open file descriptors of the process."
        case .start: "Start time of the process, in seconds since 1970."
        }
    }

    /// The names of the metric's labels.
    ///
    /// Label values are constants in the code and never come from requests, which limits the number of time
    /// series.
    package var labels: [String] {
        switch self {
        case .requests: ["route", "method", "status"]
        case .connections: ["listener"]
        case .flowsStarted: ["kind"]
        case .flowsSubmitted, .flowsSucceeded: ["kind", "method"]
        case .sessionEvents: ["type"]
        case .erasedPayments: ["outcome"]
        case .limitRefusals: ["rule"]
        case .adminRefusals: ["reason"]
        case .messages: ["channel", "outcome"]
        case .outbox, .outboxAge: ["channel"]
        case .databaseErrors: ["code"]
        case .databaseConnections, .databaseQueue: ["role"]
        case .build: ["version"]
        case .sessionStreams, .hashes, .hashQueue, .databaseRetries, .memory, .cpu, .openFiles, .start: []
        }
    }
}
