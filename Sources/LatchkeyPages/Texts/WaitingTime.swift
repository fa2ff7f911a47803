/// A time to wait as people say it, which is never shorter than the actual one.
///
/// The next unit begins at one and a half, so that rounding up doesn't double the time. All numbers are therefore
/// plural.
struct WaitingTime: Hashable {
    let count: Int
    let unit: PageText

    init(seconds: Int) {
        func whole(_ unit: Int) -> Int { seconds / unit + (seconds % unit > 0 ? 1 : 0) }
        (count, unit) =
            switch max(1, seconds) {
            case ...90: (max(1, whole(10)) * 10, .seconds)
            case ...(90 * 60): (whole(60), .minutes)
            case ...(36 * 3600): (whole(3600), .hours)
            default: (whole(86_400), .days)
            }
    }

    func text(in texts: PageTexts) -> String {
        texts(unit).replacing("{count}", with: String(count))
    }
}
