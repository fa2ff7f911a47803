import LatchkeyModel

/// Localized phrases that replace placeholders in messages.
extension Language {
    /// Formats a duration in words, such as "10 minutes".
    ///
    /// Multiples of a day are written in days if there are at least two, and multiples of an hour in hours if
    /// there are at least two. Durations of less than two minutes are written in seconds, except for exactly
    /// one minute. All other durations are written in minutes, rounded down.
    func words(for lifespan: Duration) -> String {
        let seconds = lifespan.components.seconds
        let isMinutes = seconds >= 120 || seconds == 60
        let (count, unit) =
            if seconds >= 172_800, seconds % 86_400 == 0 {
                (seconds / 86_400, days)
            } else if seconds >= 7200, seconds % 3600 == 0 {
                (seconds / 3600, hours)
            } else if isMinutes {
                (seconds / 60, minutes)
            } else {
                (seconds, self.seconds)
            }
        return "\(count) \(count == 1 ? unit.one : unit.many)"
    }

    /// Returns the service name in a phrase that can follow "your code", such as " for Shop".
    func forApp(_ app: String) -> String {
        switch self {
        case .english, .norwegian: " for \(app)"
        case .swedish: " för \(app)"
        case .finnish: " (\(app))"
        }
    }

    /// Returns the service name in a phrase that can follow "an account", such as " at Shop".
    func atApp(_ app: String) -> String {
        switch self {
        case .english: " at \(app)"
        case .norwegian, .swedish: " hos \(app)"
        case .finnish: " palvelussa \(app)"
        }
    }

    /// Returns a phrase that says where a request came from, such as " from 192.0.2.1".
    func fromIPAddress(_ address: String) -> String {
        switch self {
        case .english: " from \(address)"
        case .norwegian: " fra \(address)"
        case .swedish: " från \(address)"
        case .finnish: " osoitteesta \(address)"
        }
    }

    private var seconds: (one: String, many: String) {
        switch self {
        case .english: ("second", "seconds")
        case .norwegian, .swedish: ("sekund", "sekunder")
        case .finnish: ("sekunnin", "sekuntia")
        }
    }

    private var minutes: (one: String, many: String) {
        switch self {
        case .english: ("minute", "minutes")
        case .norwegian: ("minutt", "minutter")
        case .swedish: ("minut", "minuter")
        case .finnish: ("minuutin", "minuuttia")
        }
    }

    private var days: (one: String, many: String) {
        switch self {
        case .english: ("day", "days")
        case .norwegian: ("dag", "dager")
        case .swedish: ("dag", "dagar")
        case .finnish: ("päivän", "päivää")
        }
    }

    private var hours: (one: String, many: String) {
        switch self {
        case .english: ("hour", "hours")
        case .norwegian: ("time", "timer")
        case .swedish: ("timme", "timmar")
        case .finnish: ("tunnin", "tuntia")
        }
    }
}
