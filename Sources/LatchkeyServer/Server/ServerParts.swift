package import LatchkeyModel

/// What a server is given from outside, so that a test can give something else.
package struct ServerParts: Sendable {
    package var time: any TimeSource
    package var random: any RandomSource
    package var log: Log

    package init(time: any TimeSource, random: any RandomSource, log: Log) {
        self.time = time
        self.random = random
        self.log = log
    }
}
