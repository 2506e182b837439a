function leaf(n) {
	for (let i = 0; i < 4000000; i++)
		n = (n * 3 + i) | 0;
	return n;
}

function middle(n) {
	return leaf(n) + 1;
}

let sum = 0;
for (let i = 0; i < 40; i++)
	sum += middle(i);
console.log(sum);
