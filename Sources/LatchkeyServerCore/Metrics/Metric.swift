/// The metrics of the server; raw values are their names in Prometheus.
package enum Metric: String, Sendable, CaseIterable {
    /// The latency of requests by route template, method and class of status.
    case requests = "latchkey_http_request_duration_seconds"
    case connections = "latchkey_http_open_connections"
    case flowsStarted = "latchkey_flows_started_total"
    case flowsSubmitted = "latchkey_flows_submitted_total"
    case flowsSucceeded = "latchkey_flows_succeeded_total"
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

    /// The Prometheus type of the metric.
    package var kind: Kind {
        switch self {
        case .requests: .histogram
        case .hashes: .summary
        case .flowsStarted, .flowsSubmitted, .flowsSucceeded, .limitRefusals, .adminRefusals, .messages,
            .databaseErrors, .databaseRetries, .cpu:
            .counter
        case .connections, .outbox, .outboxAge, .hashQueue, .databaseConnections, .databaseQueue, .build,
            .memory, .openFiles, .start:
            .gauge
        }
    }

    /// The help text, a single sentence.
    package var help: String {
        switch self {
        case .requests: "Time from a request's arrival to its answer."
        case .connections: "Connections that clients hold open."
        case .flowsStarted: "Flows that were begun."
        case .flowsSubmitted: "Forms that were submitted to flows."
        case .flowsSucceeded:
            "Flows that reached their end; those of login are logins, those of registration accounts."
        case .limitRefusals: "Requests that a limit refused."
        case .adminRefusals:
            "Requests to the admin listener that were refused for their token or their origin."
        case .messages: "Attempts to send a message."
        case .outbox: "Messages that wait to be sent."
        case .outboxAge: "Age of the oldest message that waits to be sent."
        case .hashes: "Time that hashing a password took, without waiting for a thread."
        case .hashQueue: "Passwords that wait for a thread to be hashed on."
        case .databaseErrors: "Requests and messages that failed because of the database."
        case .databaseRetries: "Transactions that were begun anew."
        case .databaseConnections: "Connections to the database that are open."
        case .databaseQueue: "Statements and transactions that wait for a connection."
        case .build: "The server's version; always 1."
        case .memory: "Memory that the process holds."
        case .cpu: "Processor time that the process has used."
        case .openFiles: "File descriptors that the process holds."
        case .start: "When the process began, since 1970."
        }
    }

    /// The names of the labels.
    ///
    /// Their values are constants of the code and never come from requests, which bounds the number of time
    /// series.
    package var labels: [String] {
        switch self {
        case .requests: ["route", "method", "status"]
        case .connections: ["listener"]
        case .flowsStarted: ["kind"]
        case .flowsSubmitted, .flowsSucceeded: ["kind", "method"]
        case .limitRefusals: ["rule"]
        case .adminRefusals: ["reason"]
        case .messages: ["channel", "outcome"]
        case .outbox, .outboxAge: ["channel"]
        case .databaseErrors: ["code"]
        case .databaseConnections, .databaseQueue: ["role"]
        case .build: ["version"]
        case .hashes, .hashQueue, .databaseRetries, .memory, .cpu, .openFiles, .start: []
        }
    }
}
