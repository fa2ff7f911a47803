// `Locale.Region.isoRegions` exists since iOS 16, `Calendar.dates(byAdding:…)` only since iOS 18.
import Foundation

func days(_ calendar: Calendar, from start: Date) -> Int {
    calendar.dates(byAdding: .day, startingAt: start).prefix(3).reduce(0) { sum, _ in sum + 1 }  // fault: only available in
}
