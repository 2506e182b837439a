#[inline(never)]
fn leaf(n: u64) -> u64 {
    let mut r = n;
    for i in 0..4_000_000u64 {
        r = std::hint::black_box(r.wrapping_add(i));
    }
    r
}

#[inline(never)]
fn middle(n: u64) -> u64 {
    leaf(n).wrapping_add(1)
}

fn main() {
    let work = || (0..30).fold(0u64, |sum, i| sum.wrapping_add(middle(i)));
    let other = std::thread::spawn(work);
    println!("{} {}", work(), other.join().unwrap());
}
