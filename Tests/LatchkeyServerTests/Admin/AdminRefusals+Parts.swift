import LatchkeyServerKit

@testable import LatchkeyServer

extension AdminRefusals {
    convenience init(_ parts: ServerParts, metrics: ServerMetrics, database: any Database) {
        self.init(
            log: parts.log,
            time: parts.time,
            random: parts.random,
            delay: parts.adminDelay,
            metrics: metrics,
            database: database
        )
    }
}
